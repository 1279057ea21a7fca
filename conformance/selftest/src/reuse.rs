//! A test that a run does not share what it learns about a deployment: one catalogue can check several deployments.

use std::sync::Arc;

use super::deployment::{Machine, Served};
use super::variants;
use catalogue::catalogue;
use engine::case::Case;
use engine::report::{Report, Silent};
use engine::run::options::Options;
use engine::run::{Pace, Setting, run_cases};
use engine::verdict::Verdict;

async fn report(cases: Vec<Case>, machine: Machine) -> Report {
    let served = Served::start(machine.router(), None).await.unwrap();
    let setting = Setting {
        pace: Pace::SideBySide,
        clock: machine.clock(),
        known: None,
        second_looks: false,
    };
    let options = Options::default();
    run_cases(cases, setting, &served.target, &options, &mut Silent)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_catalogue_looks_at_several_deployments() {
    let walked = ["search-filter", "search-ranking", "search-total"];
    let cases: Vec<_> = catalogue()
        .into_iter()
        .filter(|case| walked.contains(&case.group()))
        .collect();
    let small = variants::all().into_iter().find(|one| one.name == "small");
    let datasets = [None, small.map(|variant| variant.dataset())];
    for dataset in datasets {
        let machine = dataset.map_or_else(Machine::built_in, |data| Machine::of(Arc::clone(&data)));
        let report = report(cases.clone(), machine).await;
        assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
        assert!(report.summary.passed > cases.len() / 3, "{:?}", report.summary);
    }
}
