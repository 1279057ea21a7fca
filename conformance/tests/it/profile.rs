//! The behaviour profile: it fits its schema, contains no key, and is the same when taken again. A deployment that
//! decided otherwise passes with its own profile, until it changes.

use axum::Router;
use expect_test::expect_file;
use platform_conformance::profile::{render, schema, take};
use platform_conformance::report::Silent;
use platform_conformance::selftest::Plant;
use platform_conformance::{ApiKey, Options, Pattern, Profile, Report, Role, Target, Verdict, run};
use serde_json::json;

use crate::points::{but, but_with_all_data, clamped, once};
use crate::served;

fn patterns(only: &[&str]) -> Vec<Pattern> {
    only.iter().map(|pattern| (*pattern).into()).collect()
}

async fn profile_of(router: Router, only: &[&str]) -> Profile {
    let options = Options {
        only: patterns(only),
        ..Options::default()
    };
    let target = served::target(router).await;
    take(&target, &options, &mut Silent).await.unwrap().0
}

/// Without the key that has a quota: on a slow machine the quota is renewed before it is used up.
async fn run_with_profile(router: Router, profile: &Profile, only: &[&str]) -> Report {
    let options = Options {
        only: patterns(only),
        contract: profile.contract(),
        ..Options::default()
    };
    let keys = [
        (Role::FullAccess, "dev-full-access"),
        (Role::ReadOnly, "dev-read-only"),
        (Role::NoAccess, "dev-no-access"),
    ];
    let served = served::target(router).await;
    let target = Target::new(served.base_url().as_str()).unwrap();
    let target = keys.into_iter().fold(target, |target, (role, key)| {
        target.with_key(role, ApiKey::new(key, role.variable()).unwrap())
    });
    run(profile.cases(), &target, &options, &mut Silent).await.unwrap()
}

/// Clamps the limit of lists, ignores one of their parameters, has pages of 10 results and at most 50, sends no
/// Cache-Control, and describes errors by a status and a sentence.
fn different() -> Plant {
    Plant::request(|asked| {
        if asked.calls("list_items") {
            asked.keep(|name, _| name != "offset");
        }
        if asked.searches() {
            asked.default("limit", 10);
            if once(&asked.query, "limit") {
                asked.change("limit", |limit| if limit > 50 { 0 } else { limit });
            }
        }
    })
    .and_answer(|_, answered| {
        answered.remove_header("cache-control");
        if !answered.code().is_empty() {
            let problem = json!({ "status": answered.status.as_u16(), "detail": answered.json()["detail"] });
            answered.set_text(problem.to_string());
        }
    })
}

/// Lists the failures, for the message of a test.
fn failures(report: &Report) -> String {
    let failed = report.cases.iter().filter(|case| case.verdict == Verdict::Failed);
    failed
        .map(|case| format!("{}: {:#?}\n", case.id, case.findings.first()))
        .collect()
}

const LIMITS: [&str; 3] = ["limit/*", "search-limit/default-applies/*", "profile/*"];

#[tokio::test(flavor = "multi_thread")]
async fn deployment_with_other_decisions_passes_with_its_profile() {
    let profile = profile_of(but_with_all_data(&clamped()), &["profile/*limit*"]).await;
    let differing: Vec<_> = profile.differing().map(|(id, _)| id).collect();
    assert_eq!(differing, ["list-limit-above-maximum"]);
    let report = run_with_profile(but_with_all_data(&clamped()), &profile, &LIMITS).await;
    assert_eq!(report.with(Verdict::Failed), [""; 0], "{}", failures(&report));
    let governed = report.case("limit/over-maximum-is-rejected").unwrap();
    assert_eq!(governed.verdict, Verdict::Skipped);
    let reason = governed.reason.as_deref().unwrap();
    for part in ["list-limit-above-maximum: clamped", "profile/list-limit-above-maximum"] {
        assert!(reason.contains(part), "{reason}");
    }
    let own = report.case("profile/list-limit-above-maximum").unwrap();
    assert_eq!(own.verdict, Verdict::Passed);
    // The profile does not excuse a violation of what the source states.
    assert_eq!(
        report.case("limit/maximum-is-accepted").unwrap().verdict,
        Verdict::Passed
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_deployment_fails_its_profile() {
    let profile = profile_of(but_with_all_data(&clamped()), &["profile/*limit*"]).await;
    let changed = Plant::request(|asked| {
        if asked.calls("list_items") && asked.number("limit").is_some_and(|limit| limit > 1000) {
            asked.remove("limit");
        }
    });
    let report = run_with_profile(but_with_all_data(&changed), &profile, &LIMITS).await;
    assert_eq!(report.with(Verdict::Failed), ["profile/list-limit-above-maximum"]);
    let finding = &report.case("profile/list-limit-above-maximum").unwrap().findings[0];
    assert_eq!(finding.expected, "clamped, as in its profile");
    assert_eq!(finding.seen, "ignored");
    assert!(finding.requests[0].contains("limit=1001"), "{finding:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_catalogue_passes_with_the_profile_of_another_deployment() {
    let profile = profile_of(but(&different()), &[]).await;
    let differing: Vec<_> = profile.differing().map(|(id, _)| id).collect();
    for point in [
        "cache-control",
        "error-body",
        "faults-told",
        "search-limit-default",
        "search-limit-maximum",
        "unknown-parameter",
    ] {
        assert!(differing.contains(&point), "{point} is not among {differing:?}");
    }
    let report = run_with_profile(but(&different()), &profile, &[]).await;
    assert_eq!(report.with(Verdict::Failed), [""; 0], "{}", failures(&report));
    assert_eq!(report.with(Verdict::Errored), [""; 0]);
    for id in differing {
        let own = report.case(&format!("profile/{id}")).unwrap();
        assert_eq!(own.verdict, Verdict::Passed, "{own:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn profile_fits_its_schema_and_is_reproducible() {
    let only = ["profile/*limit*", "profile/error-*", "profile/add-existing"];
    let target = served::target(but(&different())).await;
    let options = Options {
        only: patterns(&only),
        ..Options::default()
    };
    let (first, _) = take(&target, &options, &mut Silent).await.unwrap();
    let (second, _) = take(&target, &options, &mut Silent).await.unwrap();
    assert_eq!(first.to_json(), second.to_json());
    let json = serde_json::from_str(&first.to_json()).unwrap();
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let errors: Vec<_> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert_eq!(Profile::parse("profile.json", &first.to_json()).unwrap(), first);
}

/// Programs read profiles by this schema: increment `PROFILE_VERSION` when a field is removed or changes its
/// meaning. Then run `UPDATE_EXPECT=1 cargo test -p platform-conformance --test it profile::`.
#[test]
fn schema_is_published() {
    expect_file!["../../profile.schema.json"].assert_eq(&format!("{:#}\n", schema()));
}

fn text(change: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut json = serde_json::json!({
        "version": 1,
        "kit_version": "0.1.0",
        "contract_version": "1.0.0",
        "base_url": "http://127.0.0.1:9/",
        "points": {
            "sort-ties": {
                "question": "?",
                "decisions": ["D15"],
                "behaviour": "otherwise",
                "value": null,
                "as_the_contract": false,
                "unknown": null,
                "requests": [],
            },
        },
    });
    change(&mut json);
    json.to_string()
}

#[test]
fn unusable_profile_is_rejected_with_a_remedy() {
    Profile::parse("p.json", &text(|_| {})).unwrap();
    let table = [
        (text(|json| json["version"] = 2.into()), "has version 2"),
        (
            text(|json| json["contract_version"] = "2.0.0".into()),
            "was made for contract 2.0.0",
        ),
        (
            text(|json| {
                let point = json["points"]["sort-ties"].take();
                json["points"] = serde_json::json!({ "sort-tries": point });
            }),
            "has a point sort-tries, which this kit does not know",
        ),
        (
            text(|json| json["points"]["sort-ties"]["behaviour"] = "random".into()),
            "has the unknown behaviour random at sort-ties: use one of by-item-id",
        ),
        (text(|json| json["point"] = 1.into()), "p.json is not a profile"),
        ("{".to_owned(), "p.json is not a profile"),
        ("[]".to_owned(), "p.json is not a profile"),
    ];
    for (text, expected) in table {
        let error = Profile::parse("p.json", &text).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("p.json"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_profile_contains_a_key() {
    let secret = "sk-live-51f0c9a7e2";
    let repeated = Plant::answer(|asked, answered| {
        let key = asked.header("api-key").unwrap_or_default().to_owned();
        answered.set_header("cache-control", &key);
        answered.set_header("www-authenticate", &format!("{key} realm"));
        if answered.status.is_client_error() {
            answered.set_text(serde_json::json!({ key.clone(): key }).to_string());
        }
    })
    .and_request(|asked| {
        if asked.header("api-key") == Some("sk-live-51f0c9a7e2") {
            asked.set_header("api-key", "dev-full-access");
        }
    });
    let target = Role::ALL
        .into_iter()
        .fold(served::target(but(&repeated)).await, |target, role| {
            target.with_key(role, ApiKey::new(secret, role.variable()).unwrap())
        });
    let options = Options {
        only: patterns(&[
            "profile/cache-control",
            "profile/error-body",
            "profile/*limit*",
            "profile/precedence-*",
        ]),
        ..Options::default()
    };
    let (profile, report) = take(&target, &options, &mut Silent).await.unwrap();
    let texts = [
        profile.to_json(),
        render(&profile, None),
        format!("{profile:?} {report:?}"),
    ];
    assert!(texts[0].contains("$PLATFORM_API_KEY"));
    for text in texts {
        assert!(!text.contains(secret), "{text}");
    }
}
