//! A test that a run does not share what it learns about a deployment: one catalogue can check several deployments.

use std::sync::Arc;

use super::deployment::{ReferenceServer, Served};
use super::variants;
use catalogue::catalogue;
use engine::case::Case;
use engine::report::{Report, Silent};
use engine::run::options::Options;
use engine::run::{Pace, Setting, run_cases};
use engine::verdict::Verdict;

async fn report(cases: Vec<Case>, server: ReferenceServer) -> Report {
    let served = Served::start(server.router(), None).await.unwrap();
    let setting = Setting {
        pace: Pace::SideBySide,
        clock: server.clock(),
        known: None,
        second_looks: false,
    };
    let options = Options::default();
    run_cases(cases, setting, &served.target, &options, &mut Silent)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_catalogue_checks_several_deployments() {
    let walked = ["search-filter", "search-ranking", "search-total"];
    let cases: Vec<_> = catalogue()
        .into_iter()
        .filter(|case| walked.contains(&case.group()))
        .collect();
    let small = variants::all().into_iter().find(|one| one.name == "small");
    let datasets = [None, small.map(|variant| variant.dataset())];
    for dataset in datasets {
        let server = dataset.map_or_else(ReferenceServer::built_in, |data| ReferenceServer::of(Arc::clone(&data)));
        let report = report(cases.clone(), server).await;
        assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
        assert!(report.summary.passed > cases.len() / 3, "{:?}", report.summary);
    }
}
