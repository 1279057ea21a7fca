//! How a run goes: it keeps to what it announced, takes trouble for trouble and flaky for flaky, holds a
//! deployment to what it was told to, and ends when it is asked to.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use platform_conformance::report::{Event, KnownFailureState, Reporter, Silent};
use platform_conformance::stub::Stub;
use platform_conformance::{
    ApiKey, Case, KnownFailures, Level, Options, PipelineRole, Report, Role, Steadiness, Target,
    Verdict, catalogue, exit_code, plan, run,
};
use platform_server_stub::Server;

use crate::served;

fn only(patterns: &[&str]) -> Options {
    Options {
        only: patterns.iter().map(|pattern| (*pattern).into()).collect(),
        ..Options::default()
    }
}

/// The reference server, with what `change` makes of its answers; it counts the requests from 1.
fn changed(
    change: impl Fn(u64, &Request) -> Option<Response> + Clone + Send + Sync + 'static,
) -> Router {
    let count = Arc::new(AtomicU64::new(0));
    let around = move |request: Request, next: Next| {
        let number = count.fetch_add(1, Ordering::SeqCst) + 1;
        let changed = change(number, &request);
        async move {
            match changed {
                Some(response) => response,
                None => next.run(request).await,
            }
        }
    };
    Server::built_in()
        .router()
        .layer(middleware::from_fn(around))
}

fn is_list(request: &Request) -> bool {
    request.method() == Method::GET && request.uri().path().ends_with("/items")
}

fn asks_for(request: &Request, query: &str) -> bool {
    is_list(request)
        && request
            .uri()
            .query()
            .is_some_and(|sent| sent.split('&').any(|part| part == query))
}

async fn run_on(router: Router, options: &Options) -> Report {
    run(
        catalogue(),
        &served::target(router).await,
        options,
        &mut Silent,
    )
    .await
    .unwrap()
}

/// The verdict of the one case of a run.
fn verdict(report: &Report, id: &str) -> Verdict {
    report.case(id).unwrap().verdict
}

/// Remembers what a run announced.
#[derive(Default)]
struct Announced {
    requests: u64,
    organizations: u64,
    first: bool,
    seen_others: bool,
}

impl Reporter for Announced {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned { plan } => {
                self.first = !self.seen_others;
                self.requests = plan.requests.most();
                self.organizations = plan.adds.map_or(0, |adds| adds.organizations);
            }
            _ => self.seen_others = true,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_keeps_to_what_it_announces() {
    let stub = Stub::start().await.unwrap();
    let options = Options {
        allow_writes: true,
        ..Options::default()
    };
    let count = || async {
        let url = format!("{}api/v1/pipelines/6/items", stub.target().base_url());
        let request = reqwest::Client::new()
            .get(url)
            .header("API-Key", "dev-full-access");
        let page: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
        page["total_count"].as_u64().unwrap()
    };
    let before = count().await;
    let mut announced = Announced::default();
    let report = run(catalogue(), &stub.target(), &options, &mut announced)
        .await
        .unwrap();
    let added = count().await - before;
    stub.stop().await.unwrap();
    assert!(announced.first, "it is told before anything happens");
    assert_eq!(report.most_requests, announced.requests);
    assert!(report.requests <= announced.requests);
    // An announcement that is much too high says nothing.
    assert!(
        report.requests * 12 >= announced.requests,
        "{}",
        announced.requests
    );
    assert!(added > 0 && added <= announced.organizations, "{added}");
    for case in catalogue() {
        let seen = report.case(&case.id).unwrap();
        let most = case.most(options.walks);
        assert!(seen.requests <= most, "{} sent {}", case.id, seen.requests);
    }
}

#[test]
fn a_plan_says_what_will_be_skipped_and_why() {
    let target = platform_conformance::stub::target("127.0.0.1:9".parse().unwrap());
    let reading = plan(catalogue(), &target, &Options::default()).unwrap();
    assert_eq!(
        reading.cases.len() + reading.skipped.len(),
        catalogue().len()
    );
    assert!(reading.adds.is_none());
    let writes: BTreeSet<_> = reading.skipped.iter().map(|skip| &*skip.reason).collect();
    assert_eq!(
        writes,
        BTreeSet::from([
            "adds to a pipeline: run with --allow-writes",
            "sends POST; needs --allow-writes",
        ])
    );
    let options = Options {
        allow_writes: true,
        ..Options::default()
    };
    let writing = plan(catalogue(), &target, &options).unwrap();
    assert!(writing.skipped.is_empty(), "{:?}", writing.skipped);
    let adds = writing.adds.unwrap();
    let most: u64 = catalogue().iter().map(|case: &Case| case.adds).sum();
    assert_eq!((adds.pipeline_id, adds.organizations), (6, most));
    let most = |case: &Case| case.most_writes(options.walks);
    assert_eq!(adds.at_most, catalogue().iter().map(most).sum::<u64>());
    let named = target.with_organizations_to_add([1, 2]);
    let plan = plan(catalogue(), &named, &options).unwrap();
    assert_eq!(
        plan.adds.unwrap().organizations,
        2,
        "no more than are named"
    );
    assert!(
        plan.to_string()
            .contains("adds at most 2 organizations to pipeline 6")
    );
}

#[tokio::test]
async fn what_is_beyond_the_allowance_is_not_sent() {
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    let router = changed(move |number, _| {
        counted.store(number, Ordering::SeqCst);
        None
    });
    let options = Options {
        max_requests: Some(30),
        ..only(&["limit/*", "skip/*"])
    };
    let report = run_on(router, &options).await;
    assert_eq!((report.requests, report.most_requests), (30, 30));
    assert_eq!(count.load(Ordering::SeqCst), 30);
    assert!(report.summary.errored > 0);
    let reasons = report
        .cases
        .iter()
        .filter_map(|case| case.reason.as_deref());
    for reason in reasons {
        assert_eq!(reason, "the run may send no more than 30 requests");
    }
    assert_eq!(exit_code::of(&report.summary), exit_code::COULD_NOT_RUN);
}

#[tokio::test]
async fn a_rate_spreads_the_requests() {
    let options = Options {
        rate: NonZeroU32::new(200),
        ..only(&["limit/*"])
    };
    let report = run_on(Server::built_in().router(), &options).await;
    // The first is sent at once, and each other one its interval later.
    let least = (report.requests - 1) * 5;
    assert!(
        report.duration_ms >= least,
        "{} < {least}",
        report.duration_ms
    );
}

#[tokio::test]
async fn trouble_on_the_way_is_tried_again_and_told() {
    // A body that ends before its length breaks the connection off.
    let router = changed(|number, request| {
        let broken = || {
            let chunks: [Result<&str, std::io::Error>; 2] =
                [Ok("{\"pipeline_id\":"), Err(std::io::Error::other("gone"))];
            let body = axum::body::Body::from_stream(futures::stream::iter(chunks));
            (StatusCode::OK, body).into_response()
        };
        (is_list(request) && number % 7 == 0).then(broken)
    });
    let report = run_on(router, &only(&["limit/*", "skip/*"])).await;
    assert_eq!(report.summary.passed, report.cases.len(), "{report:#?}");
    assert!(report.trouble.count > 0, "{:?}", report.trouble);
    let example = &report.trouble.examples[0];
    assert!(example.starts_with("GET /api/v1/pipelines/"), "{example}");
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED);
}

#[tokio::test]
async fn a_429_is_waited_for_and_never_a_failure() {
    let come_back = |seconds: &'static str| {
        move || (StatusCode::TOO_MANY_REQUESTS, [("Retry-After", seconds)]).into_response()
    };
    let now_and_then = changed(move |number, _| (number % 5 == 0).then(come_back("0")));
    let report = run_on(now_and_then, &only(&["limit/*"])).await;
    assert_eq!(report.summary.passed, report.cases.len(), "{report:#?}");
    assert!(report.trouble.waits > 0);
    // One that asks for an hour is not waited for.
    let after_discovery =
        changed(move |number, request| (number > 40 && is_list(request)).then(come_back("3600")));
    let report = run_on(after_discovery, &only(&["limit/*"])).await;
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
    let reason = report.cases.iter().find_map(|case| case.reason.clone());
    assert!(reason.unwrap().contains("come back after 3600 s"));
}

#[tokio::test]
async fn what_is_there_again_is_steady_and_what_is_not_is_flaky() {
    let id = "limit/minimum-is-accepted";
    let exists = catalogue().into_iter().any(|case| case.id == id);
    assert!(exists, "{id}");
    let teapot = || StatusCode::IM_A_TEAPOT.into_response();
    let always = changed(move |_, request| asks_for(request, "limit=1").then(teapot));
    let report = run_on(always, &only(&[id])).await;
    let case = report.case(id).unwrap();
    assert_eq!(
        (case.verdict, case.steadiness),
        (Verdict::Failed, Some(Steadiness::Steady))
    );
    // Whoever looks for data asks the same of every pipeline, and searches for products last.
    let (seen, begun) = (
        Arc::new(AtomicU64::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let once = changed(move |_, request| {
        let uri = request.uri();
        if uri.path().contains("/products/")
            && uri.query().unwrap_or_default().contains("limit=100")
        {
            begun.store(true, Ordering::SeqCst);
        }
        let mine = begun.load(Ordering::SeqCst) && asks_for(request, "limit=1");
        (mine && seen.fetch_add(1, Ordering::SeqCst) == 0).then(teapot)
    });
    let report = run_on(once, &only(&[id, "schema/list_items/*"])).await;
    let case = report.case(id).unwrap();
    assert_eq!(
        (case.verdict, case.steadiness),
        (Verdict::Failed, Some(Steadiness::Flaky)),
        "{report:#?}"
    );
    let watching = report.case("schema/list_items/other-status").unwrap();
    assert_eq!(
        (watching.verdict, watching.steadiness),
        (Verdict::Failed, Some(Steadiness::Flaky))
    );
    assert_eq!(exit_code::of(&report.summary), exit_code::FAILED);
}

#[tokio::test]
async fn what_may_have_changed_something_is_not_looked_at_twice() {
    let posts = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&posts);
    let router = changed(move |_, request| {
        let adds = request.method() == Method::POST;
        adds.then(|| {
            counted.fetch_add(1, Ordering::SeqCst);
            StatusCode::CREATED.into_response()
        })
    });
    let options = Options {
        allow_writes: true,
        ..only(&["auth/*add_organization*"])
    };
    let report = run_on(router, &options).await;
    let failed: Vec<_> = report
        .cases
        .iter()
        .filter(|case| case.verdict == Verdict::Failed)
        .collect();
    assert!(!failed.is_empty());
    for case in &failed {
        assert_eq!(
            case.steadiness,
            Some(Steadiness::Unconfirmed),
            "{}",
            case.id
        );
    }
    let sent: u64 = report.cases.iter().map(|case| case.requests).sum();
    assert_eq!(posts.load(Ordering::SeqCst), sent, "each was sent once");
}

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
async fn a_known_failure_does_not_fail_the_run_and_a_wrong_line_does() {
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
async fn at_the_level_stated_what_was_decided_only_informs() {
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
    // Where nothing that is stated fails, the run is green.
    let options = Options {
        level: Level::Stated,
        ..only(&[LENIENT, "limit/minimum-is-accepted"])
    };
    let report = run_on(lenient(), &options).await;
    assert_eq!(verdict(&report, LENIENT), Verdict::Informed);
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED);
}

/// Interrupts a run when its first case has its verdict.
struct Interrupting(Options);

impl Reporter for Interrupting {
    fn event(&mut self, event: &Event<'_>) {
        if matches!(event, Event::CaseFinished { .. }) {
            self.0.interrupt.cancel();
        }
    }
}

#[tokio::test]
async fn an_interrupted_run_still_has_a_report() {
    let options = Options {
        allow_writes: true,
        ..Options::default()
    };
    let target = served::target(Server::built_in().router()).await;
    let report = run(
        catalogue(),
        &target,
        &options,
        &mut Interrupting(options.clone()),
    )
    .await
    .unwrap();
    assert_eq!(
        report.cases.len(),
        catalogue().len(),
        "every case is told of"
    );
    assert!(
        report.summary.skipped > report.cases.len() / 2,
        "{:?}",
        report.summary
    );
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
    let skipped = report
        .cases
        .iter()
        .filter(|case| case.verdict == Verdict::Skipped);
    for case in skipped {
        let reason = case.reason.as_deref().unwrap();
        assert!(reason.contains("interrupted"), "{}: {reason}", case.id);
    }
    assert_eq!(exit_code::of(&report.summary), exit_code::INTERRUPTED);
}

/// The reference server, and the pipelines that somebody was asked to be added to who exists.
fn additions_noted() -> (Router, Arc<Mutex<BTreeSet<String>>>) {
    let noted: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let notes = Arc::clone(&noted);
    let around = move |request: Request, next: Next| {
        let notes = Arc::clone(&notes);
        async move {
            let (parts, body) = request.into_parts();
            let bytes = to_bytes(body, usize::MAX).await.unwrap();
            let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
            // Nobody of the built-in data has another id.
            let exists = json["organization_id"]
                .as_u64()
                .is_some_and(|id| (1001..=2331).contains(&id));
            if parts.method == Method::POST && exists {
                notes.lock().unwrap().insert(parts.uri.path().to_owned());
            }
            next.run(Request::from_parts(parts, Body::from(bytes)))
                .await
        }
    };
    let router = Server::built_in()
        .router()
        .layer(middleware::from_fn(around));
    (router, noted)
}

/// What the cases send that are about adding, or may send it on the way.
const ADDING: [&str; 7] = [
    "add/*",
    "auth/*",
    "error/*",
    "header/*",
    "law/hostile*",
    "parameter/*",
    "rate-limit/*",
];

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_added_where_the_target_does_not_say_so() {
    let (router, noted) = additions_noted();
    let named = served::target(router).await;
    let key = |role, secret| (role, ApiKey::new(secret, "TEST_KEY").unwrap());
    let keys = [
        key(Role::FullAccess, "dev-full-access"),
        key(Role::ReadOnly, "dev-read-only"),
        key(Role::NoAccess, "dev-no-access"),
    ];
    let bare = Target::new(named.base_url().as_str()).unwrap();
    let bare = keys
        .into_iter()
        .fold(bare, |target, (role, key)| target.with_key(role, key));
    run(catalogue(), &bare, &only(&ADDING), &mut Silent)
        .await
        .unwrap();
    assert_eq!(*noted.lock().unwrap(), BTreeSet::new(), "only reads");
    let target = bare.with_pipeline(PipelineRole::Writable, 6);
    let options = Options {
        allow_writes: true,
        ..only(&ADDING)
    };
    run(catalogue(), &target, &options, &mut Silent)
        .await
        .unwrap();
    let mut noted = noted.lock().unwrap().clone();
    assert!(noted.remove("/api/v1/pipelines/6/organizations"));
    // A pipeline that does not exist takes nobody either.
    noted.retain(|path| {
        let id = path.split('/').nth(4).unwrap();
        id.parse::<u64>().is_ok_and(|id| id <= 7)
    });
    assert_eq!(noted, BTreeSet::new(), "only where it is named");
}
