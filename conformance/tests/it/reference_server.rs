//! The whole catalogue on the reference server: everything passes, including writes, and nothing is skipped.

use std::sync::Arc;

use platform_conformance::report::{Event, Reporter, Silent};
use platform_conformance::selftest::variants;
use platform_conformance::stub::{Stub, target};
use platform_conformance::{Options, Report, Verdict, catalogue, exit_code, plan, run};
use platform_server_stub::Server;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use tokio::net::TcpListener;
use tokio::sync::{OnceCell, oneshot};

use crate::requests::assert_measured;

/// Lists the cases that did not pass, for the message of a test.
pub(crate) fn shown(report: &Report) -> String {
    let cases = report.cases.iter().filter(|case| case.verdict != Verdict::Passed);
    let line = |case: &platform_conformance::CaseReport| {
        format!(
            "{} {}: {:?} {:#?}\n",
            case.verdict.as_str(),
            case.id,
            case.reason,
            case.findings
        )
    };
    cases.map(line).collect()
}

/// Records the announcement of a run.
#[derive(Default)]
pub(crate) struct Announced {
    pub(crate) requests: u64,
    pub(crate) organizations: u64,
    pub(crate) first: bool,
    seen_others: bool,
}

impl Reporter for Announced {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned { plan } => {
                self.first = !self.seen_others;
                self.requests = plan.requests.most();
                self.organizations = plan.adds.as_ref().map_or(0, |adds| adds.organizations);
            }
            _ => self.seen_others = true,
        }
    }
}

/// A run of the whole catalogue, with writes.
pub(crate) struct WholeRun {
    pub(crate) report: Report,
    pub(crate) announced: Announced,
    /// The number of items that it added to the writable pipeline.
    pub(crate) added: u64,
}

/// The run of the whole catalogue on the reference server. It takes long, so the tests of one process share it.
pub(crate) async fn whole_run() -> &'static WholeRun {
    static WHOLE: OnceCell<WholeRun> = OnceCell::const_new();
    let run_it = async || {
        let stub = Stub::start().await.unwrap();
        let before = items(&stub).await;
        let mut announced = Announced::default();
        let report = run(catalogue(), &stub.target(), &with_writes(), &mut announced)
            .await
            .unwrap();
        let added = items(&stub).await - before;
        stub.stop().await.unwrap();
        WholeRun {
            report,
            announced,
            added,
        }
    };
    WHOLE.get_or_init(run_it).await
}

fn with_writes() -> Options {
    Options {
        allow_writes: true,
        ..Options::default()
    }
}

/// The number of items of the writable pipeline.
async fn items(stub: &Stub) -> u64 {
    let url = format!("{}api/v1/pipelines/6/items", stub.target().base_url());
    let request = reqwest::Client::new().get(url).header("API-Key", "dev-full-access");
    let page: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
    page["total_count"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_catalogue_passes() {
    let WholeRun { report, .. } = whole_run().await;
    let announced = plan(catalogue(), &target(([127, 0, 0, 1], 9).into()), &with_writes()).unwrap();
    assert_eq!(report.summary.passed, report.cases.len(), "{}", shown(report));
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED);
    assert_measured(report, announced.requests.usual);
}

/// Searches do not read what a state directory keeps.
#[tokio::test(flavor = "multi_thread")]
async fn state_directory_passes_everything_except_searches() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(SystemClock);
    let platform = Platform::with_state(variants::part_of_the_data(), clock, directory.path()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = target(listener.local_addr().unwrap());
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(Server::new(platform).serve(listener, async move {
        // The sender is dropped to stop the server.
        let _ = stopped.await;
    }));
    let options = Options {
        exclude: vec!["search-*".into(), "schema/*".into()],
        ..with_writes()
    };
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    drop(stop);
    served.await.unwrap().unwrap();
    let passed = report.summary.passed;
    assert_eq!((passed, passed > 300), (report.cases.len(), true), "{}", shown(&report));
}

#[tokio::test(flavor = "multi_thread")]
async fn run_adds_nothing_without_permission() {
    let stub = Stub::start().await.unwrap();
    let before = items(&stub).await;
    let only = vec!["add/*".into(), "error/*".into(), "auth/*".into(), "parameter/*".into()];
    let options = Options {
        only,
        ..Options::default()
    };
    let report = run(catalogue(), &stub.target(), &options, &mut Silent).await.unwrap();
    assert_eq!(items(&stub).await, before);
    assert!(report.with(Verdict::Failed).is_empty(), "{}", shown(&report));
    for case in report.cases.iter().filter(|case| case.group() == "add") {
        assert_eq!(case.verdict, Verdict::Skipped, "{}", case.id);
        assert!(
            case.reason
                .as_deref()
                .is_some_and(|reason| reason.contains("--allow-writes")),
            "{}",
            case.id
        );
    }
    stub.stop().await.unwrap();
}

/// A run does not share what it learns about a deployment.
#[tokio::test(flavor = "multi_thread")]
async fn catalogue_checks_several_deployments_at_once() {
    let walked = ["search-filter", "search-ranking", "search-total"];
    let cases = catalogue().into_iter();
    let cases: Vec<_> = cases.filter(|case| walked.contains(&case.group())).collect();
    let small = variants::all().into_iter().find(|one| one.name == "small").unwrap();
    for data in [variants::part_of_the_data(), small.dataset()] {
        let server = Server::new(Platform::in_memory(data, Arc::new(SystemClock)));
        let target = crate::served::target(server.router()).await;
        let report = run(cases.clone(), &target, &Options::default(), &mut Silent)
            .await
            .unwrap();
        assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
        assert!(report.summary.passed > cases.len() / 3, "{:?}", report.summary);
    }
}
