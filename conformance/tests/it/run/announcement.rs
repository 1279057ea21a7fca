//! What a run announces before it sends anything, and that it keeps to it.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use platform_conformance::report::{Event, Reporter, Silent};
use platform_conformance::{
    ApiKey, Case, Options, PipelineRole, Rate, Role, Target, Verdict, catalogue, exit_code, plan, run,
};

use super::{changed, only, run_on};
use crate::reference_server::{WholeRun, whole_run};
use crate::served;

#[tokio::test(flavor = "multi_thread")]
async fn run_stays_within_its_announcement() {
    let WholeRun {
        report,
        announced,
        added,
    } = whole_run().await;
    assert!(announced.first, "the announcement comes first");
    assert_eq!(report.most_requests, announced.requests);
    assert!(report.requests <= announced.requests);
    // A much higher announcement would be useless.
    assert!(report.requests * 12 >= announced.requests, "{}", announced.requests);
    assert!(*added > 0 && *added <= announced.organizations, "{added}");
    for case in catalogue() {
        let seen = report.case(&case.id).unwrap();
        let most = case.request_limit(Options::default().property_runs);
        assert!(seen.requests <= most, "{} sent {}", case.id, seen.requests);
    }
}

#[test]
fn plan_lists_skipped_cases_with_reasons() {
    let target = platform_conformance::stub::target("127.0.0.1:9".parse().unwrap());
    let reading = plan(catalogue(), &target, &Options::default()).unwrap();
    assert_eq!(reading.cases.len() + reading.skipped.len(), catalogue().len());
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
    let most = |case: &Case| case.write_limit(options.property_runs);
    // A request to each of two pipelines shows whether the key may add to it.
    assert_eq!(adds.at_most, catalogue().iter().map(most).sum::<u64>() + 2);
    let named = target.with_organizations_to_add([1, 2]);
    let plan = plan(catalogue(), &named, &options).unwrap();
    assert_eq!(plan.adds.as_ref().unwrap().organizations, 10, "no more than are named");
    assert!(
        plan.to_string()
            .contains("adds at most 10 organizations to pipelines 6, 2, 4, 5 and 7")
    );
    let named = named.without_pipelines_to_add();
    let plan = platform_conformance::plan(catalogue(), &named, &options).unwrap();
    assert_eq!(plan.adds.as_ref().unwrap().organizations, 2, "no more than are named");
    assert!(plan.to_string().contains("adds at most 2 organizations to pipeline 6"));
}

#[test]
fn plan_says_that_too_few_organizations_are_named() {
    let options = Options {
        allow_writes: true,
        ..Options::default()
    };
    let with = |organizations: Vec<u64>| {
        let target = platform_conformance::stub::target("127.0.0.1:9".parse().unwrap());
        let target = target.with_organizations_to_add(organizations);
        plan(catalogue(), &target, &options).unwrap().adds.unwrap()
    };
    let few = with(vec![1001, 1002]);
    let shortage = few.shortage.unwrap();
    assert_eq!(shortage.named, 2);
    let said = format!(
        "only 2 of the {} organizations that the cases add are named",
        shortage.wanted
    );
    assert!(few.to_string().contains(&said), "{few}");
    // They are found, or there are as many as the cases add.
    let enough = (1..=shortage.wanted).collect();
    for organizations in [Vec::new(), enough] {
        let adds = with(organizations);
        assert_eq!((adds.shortage, adds.to_string().contains("only")), (None, false));
    }
}

#[tokio::test]
async fn no_case_starts_after_max_failures() {
    let broken = |_, request: &Request| {
        let query = request.uri().query().unwrap_or_default();
        let is_out_of_range = ["limit=0", "limit=1001", "skip=-1"]
            .iter()
            .any(|part| query.contains(part));
        is_out_of_range.then(|| StatusCode::INTERNAL_SERVER_ERROR.into_response())
    };
    let options = Options {
        max_failures: NonZeroUsize::new(2),
        concurrency: 1,
        ..only(&["limit/*", "skip/*"])
    };
    let report = run_on(changed(broken), &options).await;
    // The next case may already be running when the second fails.
    assert!((2..=3).contains(&report.summary.failed), "{:?}", report.summary);
    let skipped = report.cases.iter().filter(|case| case.verdict == Verdict::Skipped);
    for case in skipped {
        let reason = case.reason.as_deref();
        assert_eq!(reason, Some("not started: the limit of 2 failed cases was reached"));
    }
    assert!(report.summary.skipped > 2, "{:?}", report.summary);
    assert_eq!(exit_code::of(&report.summary), exit_code::FAILED);
}

#[tokio::test]
async fn requests_beyond_the_limit_are_not_sent() {
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
    let reasons = report.cases.iter().filter_map(|case| case.reason.as_deref());
    for reason in reasons {
        assert_eq!(reason, "the limit of 30 requests for the run is reached");
    }
    assert_eq!(exit_code::of(&report.summary), exit_code::COULD_NOT_RUN);
}

/// Later pages of a search show organizations to add. A run that adds nothing does not ask for them.
#[tokio::test]
async fn only_runs_that_add_look_for_organizations_to_add() {
    for (case, adds) in [("limit/default-applies", false), ("add/at-most-once", true)] {
        let later = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&later);
        let router = changed(move |_, request| {
            let query = request.uri().query().unwrap_or_default();
            let is_search = request.uri().path().starts_with("/search/organizations/");
            counted.fetch_add(u64::from(is_search && query.contains("skip=100")), Ordering::SeqCst);
            None
        });
        let options = Options {
            allow_writes: true,
            ..only(&[case])
        };
        let report = run_on(router, &options).await;
        assert_eq!(report.summary.passed, 1, "{:?}", report.summary);
        assert_eq!(later.load(Ordering::SeqCst) > 0, adds, "{case}");
    }
}

#[tokio::test]
async fn rate_spreads_the_requests() {
    let per_second = NonZeroU32::new(200).map(Rate::from);
    for rate in [per_second, "12000/m".parse().ok()] {
        let options = Options {
            rate: Some(rate.unwrap()),
            ..only(&["limit/*"])
        };
        let report = run_on(crate::served::router(), &options).await;
        // The first request is sent at once, and each further one after its interval.
        let least = (report.requests - 1) * 5;
        assert!(report.duration_ms >= least, "{} < {least}", report.duration_ms);
    }
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
async fn interrupted_run_still_has_a_report() {
    let options = Options {
        allow_writes: true,
        ..Options::default()
    };
    let target = served::target(crate::served::router()).await;
    let report = run(catalogue(), &target, &options, &mut Interrupting(options.clone()))
        .await
        .unwrap();
    assert_eq!(report.cases.len(), catalogue().len(), "every case is reported");
    assert!(report.summary.skipped > report.cases.len() / 2, "{:?}", report.summary);
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
    let skipped = report.cases.iter().filter(|case| case.verdict == Verdict::Skipped);
    for case in skipped {
        let reason = case.reason.as_deref().unwrap();
        assert!(reason.contains("interrupted"), "{}: {reason}", case.id);
    }
    assert_eq!(exit_code::of(&report.summary), exit_code::INTERRUPTED);
}

/// The reference server, and the pipelines for which it received an addition of an organization that exists.
fn additions_noted() -> (Router, Arc<Mutex<BTreeSet<String>>>) {
    let noted: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let notes = Arc::clone(&noted);
    let around = move |request: Request, next: Next| {
        let notes = Arc::clone(&notes);
        async move {
            let (parts, body) = request.into_parts();
            let bytes = to_bytes(body, usize::MAX).await.unwrap();
            let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
            // No organization of the built-in data has another id.
            let exists = json["organization_id"]
                .as_u64()
                .is_some_and(|id| (1001..=2331).contains(&id));
            if parts.method == Method::POST && exists {
                notes.lock().unwrap().insert(parts.uri.path().to_owned());
            }
            next.run(Request::from_parts(parts, Body::from(bytes))).await
        }
    };
    let router = crate::served::router().layer(middleware::from_fn(around));
    (router, noted)
}

/// The cases that add organizations or may send additions.
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
async fn additions_go_only_to_the_named_pipeline() {
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
    run(catalogue(), &bare, &only(&ADDING), &mut Silent).await.unwrap();
    assert_eq!(*noted.lock().unwrap(), BTreeSet::new(), "only reads");
    let target = bare.with_pipeline(PipelineRole::Writable, 6);
    let options = Options {
        allow_writes: true,
        ..only(&ADDING)
    };
    run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    let mut noted = noted.lock().unwrap().clone();
    assert!(noted.remove("/api/v1/pipelines/6/organizations"));
    // An addition to a pipeline that does not exist has no effect.
    noted.retain(|path| {
        let id = path.split('/').nth(4).unwrap();
        id.parse::<u64>().is_ok_and(|id| id <= 7)
    });
    assert_eq!(noted, BTreeSet::new(), "only where it is named");
}
