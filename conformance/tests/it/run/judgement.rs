//! The verdict on a deployment: known failures, the level, unchecked rules, and which responses count as accepted.

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use platform_conformance::report::{KnownFailureState, Silent};
use platform_conformance::selftest::Plant;
use platform_conformance::{
    ApiKey, Contract, KnownFailures, Level, Options, Role, Target, Verdict, catalogue, exit_code, run,
};
use serde_json::json;

use super::{asks_for, changed, is_list, only, run_on, verdict};
use crate::served;

/// A deployment that answers every listing beyond the limit with 200, and one that decided otherwise.
fn lenient() -> Router {
    changed(|_, request| {
        let query = request.uri().query().unwrap_or_default();
        let unknown = is_list(request) && query.contains("limit=0");
        unknown.then(|| StatusCode::IM_A_TEAPOT.into_response())
    })
}

const LENIENT: &str = "limit/below-minimum-is-rejected";

fn known(lines: &[(&str, &str)]) -> KnownFailures {
    let line = |(id, expires): &(&str, &str)| {
        format!("[[failure]]\nid = \"{id}\"\nreason = \"ticket 4711\"\nexpires = {expires}\n")
    };
    let text: String = lines.iter().map(line).collect();
    KnownFailures::parse("known.toml", &text).unwrap()
}

#[tokio::test]
async fn known_failure_does_not_fail_the_run_and_a_stale_entry_does() {
    use KnownFailureState::{Expired, Failing, MatchesNothing, NotSeen, UnexpectedPass};
    let passes = "limit/minimum-is-accepted";
    for (lines, state, on_case, code) in [
        (
            vec![(LENIENT, "9999-12-31")],
            Failing,
            Verdict::Known,
            exit_code::PASSED,
        ),
        (
            vec![("limit/below-*", "9999-12-31")],
            Failing,
            Verdict::Known,
            exit_code::PASSED,
        ),
        (
            vec![(LENIENT, "2020-01-01")],
            Expired,
            Verdict::Failed,
            exit_code::FAILED,
        ),
        (
            vec![(passes, "9999-12-31"), (LENIENT, "9999-12-31")],
            UnexpectedPass,
            Verdict::Known,
            exit_code::FAILED,
        ),
        (
            vec![("no/such-*", "9999-12-31"), (LENIENT, "9999-12-31")],
            MatchesNothing,
            Verdict::Known,
            exit_code::FAILED,
        ),
        (
            vec![("skip/*", "9999-12-31"), (LENIENT, "9999-12-31")],
            NotSeen,
            Verdict::Known,
            exit_code::PASSED,
        ),
    ] {
        let options = Options {
            known_failures: known(&lines),
            ..only(&[LENIENT, passes])
        };
        let report = run_on(lenient(), &options).await;
        assert_eq!(report.known_failures[0].state, state, "{lines:?}");
        assert_eq!(verdict(&report, LENIENT), on_case, "{lines:?}");
        assert_eq!(exit_code::of(&report.summary), code, "{lines:?}");
        assert_eq!(report.summary.stale, report.stale().count());
    }
}

#[tokio::test]
async fn violated_decisions_do_not_fail_at_the_level_stated() {
    let cases = catalogue();
    let decides = |id: &str| {
        let case = cases.iter().find(|case| case.id == id).unwrap();
        !case.decisions().is_empty()
    };
    let teapot = changed(|_, request| {
        let list = is_list(request) && request.uri().query().is_some();
        list.then(|| StatusCode::IM_A_TEAPOT.into_response())
    });
    let options = Options {
        level: Level::Stated,
        ..only(&["limit/*", "skip/*"])
    };
    let report = run_on(teapot, &options).await;
    for case in report.cases.iter().filter(|case| case.verdict.differs()) {
        let expected = match decides(&case.id) {
            true => Verdict::Informed,
            false => Verdict::Failed,
        };
        assert_eq!(case.verdict, expected, "{}", case.id);
    }
    assert!(
        report.summary.informed > 0 && report.summary.failed > 0,
        "{:?}",
        report.summary
    );
    // If no stated rule fails, the run passes.
    let options = Options {
        level: Level::Stated,
        ..only(&[LENIENT, "limit/minimum-is-accepted"])
    };
    let report = run_on(lenient(), &options).await;
    assert_eq!(verdict(&report, LENIENT), Verdict::Informed);
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED);
}

/// A deployment that follows what is stated, but decided every detail of its errors otherwise: their body, its media
/// type, and the headers.
fn with_errors_of_its_own() -> Plant {
    Plant::answer(|_, answered| {
        for name in ["x-request-id", "cache-control", "www-authenticate"] {
            answered.remove_header(name);
        }
        if answered.status.is_client_error() {
            *answered.json() = json!({ "error": { "number": answered.status.as_u16() } });
            answered.set_header("content-type", "application/json");
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn other_error_formats_do_not_fail_at_the_level_stated() {
    let only = ["auth/*", "error/*", "schema/*", "item/*", "limit/*", "header/*"];
    let options = Options {
        level: Level::Stated,
        allow_writes: true,
        ..self::only(&only)
    };
    let router = with_errors_of_its_own().around(crate::served::router());
    let report = run_on(router, &options).await;
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new(), "{report:#?}");
    let informed = report.with(Verdict::Informed);
    for id in [
        "auth/missing-key/list_items",
        "schema/list_items/404",
        "error/unknown-item/get_item_values",
    ] {
        assert!(informed.contains(&id), "{id}: {informed:?}");
    }
    // Stated rules still fail: here a key opens operations that it should not.
    let open = with_errors_of_its_own().and_request(|asked| {
        asked.set_header("api-key", "dev-full-access");
    });
    let open_to_all = ["auth/missing-key/list_items", "auth/no-access/add_organization"];
    let options = Options {
        only: open_to_all.map(Into::into).into(),
        ..options
    };
    let report = run_on(open.around(crate::served::router()), &options).await;
    for id in open_to_all {
        assert_eq!(verdict(&report, id), Verdict::Failed, "{id}");
    }
}

/// A deployment without pipelines; the rest follows the contract.
fn without_pipelines() -> Router {
    changed(|_, request| {
        let problem = json!({
            "type": "https://platform.example/problems/pipeline_not_found",
            "title": "Not Found",
            "status": 404,
            "detail": "No pipeline has this id.",
            "instance": request.uri().path(),
            "code": "pipeline_not_found",
            "request_id": "gone-1",
            "errors": [],
        });
        let headers = [
            ("Content-Type", "application/problem+json"),
            ("X-Request-Id", "gone-1"),
            ("Cache-Control", "no-store"),
        ];
        let is_about_a_pipeline = request.uri().path().starts_with("/api/v1/pipelines/");
        is_about_a_pipeline.then(|| (StatusCode::NOT_FOUND, headers, problem.to_string()).into_response())
    })
}

/// Half of the service is missing and the rest is correct: the deployment does not conform.
#[tokio::test(flavor = "multi_thread")]
async fn unchecked_rules_make_a_run_partial_and_fail_requirements() {
    let mut options = Options {
        only: vec!["limit/*".into(), "search-limit/*".into()],
        require: vec!["search-limit/*".parse().unwrap()],
        ..Options::default()
    };
    let address = served::address(without_pipelines()).await;
    let key = ApiKey::new("dev-full-access", "PLATFORM_API_KEY").unwrap();
    let target = Target::new(&format!("http://{address}")).unwrap();
    let target = target.with_key(Role::FullAccess, key);
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    assert_eq!(report.outcome(), "conforms in part", "{report:#?}");
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED);
    assert!(report.summary.rules.checked < report.summary.rules.total);
    assert!(report.summary.left_out > 0 && report.covered.operations.0 < report.covered.operations.1);
    // Rules that the run leaves out are not checked either.
    options.require = vec![
        "all".parse().unwrap(),
        "limit/*".parse().unwrap(),
        "2%".parse().unwrap(),
    ];
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    let met: Vec<_> = report.requirements.iter().map(|requirement| requirement.met).collect();
    assert_eq!(met, [false, false, true], "{:?}", report.requirements);
    assert!(
        report.requirements[1]
            .missing
            .contains(&"limit/default-applies".to_owned())
    );
    assert_eq!(exit_code::of(&report.summary), exit_code::INCOMPLETE);
    options.require = vec!["none/*".parse().unwrap()];
    let error = run(catalogue(), &target, &options, &mut Silent).await.unwrap_err();
    assert!(error.to_string().contains("none/*"), "{error}");
}

/// The status alone does not make a request accepted.
#[tokio::test]
async fn success_with_an_empty_body_is_not_acceptance() {
    let list_items = Contract::bundled().operation("list_items");
    let most = format!("limit={}", list_items.parameter("limit").number("maximum"));
    let router = changed(move |_, request| {
        let empty = || {
            let media_type = [("Content-Type", "application/json")];
            (StatusCode::OK, media_type, "{}").into_response()
        };
        asks_for(request, &most).then(empty)
    });
    let id = "limit/maximum-is-accepted";
    let report = run_on(router, &only(&[id])).await;
    let case = report.case(id).unwrap();
    assert_eq!(case.verdict, Verdict::Failed, "{case:#?}");
    assert_eq!(case.findings[0].what, "the body", "{case:#?}");
}

/// A key of least privilege is no departure: the cases that need more say so.
#[tokio::test]
async fn pipeline_that_full_access_may_not_add_to_fails_no_case() {
    let id = "error/not-an-organization-pipeline/add_organization";
    let denied = || {
        let body = json!({"code": "authorization_denied", "status": 403});
        (StatusCode::FORBIDDEN, body.to_string()).into_response()
    };
    let to_persons = |request: &Request| request.method() == "POST" && request.uri().path().contains("/pipelines/3/");
    let closed = served::except(move |request| to_persons(request).then(denied));
    let report = served::run_on(closed, &[id]).await;
    let case = report.case(id).unwrap();
    assert_eq!(case.verdict, Verdict::Skipped, "{case}");
    let reason = case.reason.as_deref().unwrap();
    assert!(reason.contains("may not add to pipeline 3"), "{reason}");
    // The right answer to a right request is not that of the policies.
    let is_right = |request: &Request| {
        let length = request.headers().get("content-length");
        length.is_some_and(|length| length != "2")
    };
    let wrong = served::except(move |request| (to_persons(request) && is_right(request)).then(denied));
    let report = served::run_on(wrong, &[id]).await;
    assert_eq!(report.case(id).unwrap().verdict, Verdict::Failed, "{report:#?}");
}
