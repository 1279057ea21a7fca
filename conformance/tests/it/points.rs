//! The points that the source leaves open: each decided case has its point, the reference server shows the contract's
//! behaviour at all of them, and other behaviour is recognized.

mod apart;
mod connections;
mod contents;
mod recognized;

use std::collections::BTreeSet;

use axum::Router;
use platform_conformance::profile::take;
use platform_conformance::report::Silent;
use platform_conformance::selftest::Plant;
use platform_conformance::stub::Stub;
use platform_conformance::{MIXED, OTHER, Observed, Options, Pattern, catalogue, points};

use crate::served;
use platform_server_stub::Server;

/// Observes a deployment at one point.
pub(crate) async fn observed(router: Router, point: &str) -> Observed {
    let options = Options {
        allow_writes: true,
        only: vec![Pattern::from(format!("profile/{point}").as_str())],
        ..Options::default()
    };
    let target = served::target(router).await;
    let (profile, _) = take(&target, &options, &mut Silent).await.unwrap();
    profile.points[point].clone()
}

#[test]
fn every_decided_case_is_governed_by_one_point() {
    let points = points();
    let mut wrong = Vec::new();
    for case in catalogue() {
        let governing: Vec<_> = points
            .iter()
            .filter(|point| point.governs(&case.id))
            .map(|point| point.id)
            .collect();
        // Many points govern the operations of a property test, so several may apply to it.
        let is_stated = case.decisions().is_empty() || case.group() == "law";
        if governing.len() != usize::from(!is_stated) {
            wrong.push(format!("{} {:?} {governing:?}", case.id, case.decisions()));
        }
    }
    assert!(
        wrong.is_empty(),
        "a stated case is governed by no point, since no profile excuses a deployment from it; a case that \
         rests on a decision is governed by the one point of catalogue/src/points whose question it answers:\n{wrong:#?}"
    );
}

#[test]
fn every_point_governs_a_case() {
    let cases = catalogue();
    for point in points() {
        for pattern in point.patterns() {
            let matched = cases.iter().filter(|case| pattern.matches(&case.id));
            assert!(matched.count() > 0, "{}: {pattern} matches no case", point.id);
        }
        // The contract declares both media types, so no case requires one of them.
        let free = point.id == "error-media-type";
        assert_eq!(point.patterns().is_empty(), free, "{}", point.id);
    }
}

#[test]
fn every_point_has_a_unique_name_and_unique_behaviours() {
    let mut names = BTreeSet::new();
    for point in points() {
        assert!(names.insert(point.id), "{} is a duplicate", point.id);
        assert!(
            point.question.ends_with('?') || point.question.ends_with('.'),
            "{}",
            point.id
        );
        assert!(!point.found_out.is_empty(), "{}", point.id);
        assert!(!point.decisions().is_empty(), "{}", point.id);
        let mut behaviours = BTreeSet::from([OTHER, MIXED]);
        for behaviour in &point.behaviours {
            assert!(behaviours.insert(behaviour.name), "{}: {}", point.id, behaviour.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reference_server_behaves_as_the_contract_decided() {
    let stub = Stub::start().await.unwrap();
    let options = Options {
        allow_writes: true,
        ..Options::default()
    };
    let (profile, _) = take(&stub.target(), &options, &mut Silent).await.unwrap();
    stub.stop().await.unwrap();
    assert_eq!(profile.points.len(), points().len());
    for (id, observed) in &profile.points {
        assert_eq!(observed.as_the_contract, Some(true), "{id}: {observed:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn probe_adds_nothing_without_permission_and_reports_why() {
    let stub = Stub::start().await.unwrap();
    let options = Options {
        only: vec![
            Pattern::from("profile/*add-existing"),
            Pattern::from("profile/new-item"),
        ],
        ..Options::default()
    };
    let (profile, _) = take(&stub.target(), &options, &mut Silent).await.unwrap();
    stub.stop().await.unwrap();
    assert_eq!(profile.points.len(), 2);
    for observed in profile.points.values() {
        assert_eq!(observed.behaviour, None);
        assert!(
            observed.unknown.as_deref().unwrap().contains("--allow-writes"),
            "{observed:?}"
        );
    }
}

/// The reference server with a part of its data, with this change.
pub(crate) fn but(plant: &Plant) -> Router {
    plant.around(crate::served::router())
}

/// The reference server, which has more items than the longest page, with this change.
pub(crate) fn but_with_all_data(plant: &Plant) -> Router {
    plant.around(Server::built_in().router())
}

/// Treats a limit of a list above the maximum as the maximum.
pub(crate) fn clamped() -> Plant {
    Plant::request(|asked| {
        if asked.calls("list_items") && once(&asked.query, "limit") {
            asked.change("limit", |limit| limit.min(1000));
        }
    })
}

/// Whether a parameter is sent once: the server itself rejects duplicates.
pub(crate) fn once(query: &str, name: &str) -> bool {
    let name = format!("{name}=");
    query.split('&').filter(|pair| pair.starts_with(&name)).count() == 1
}

/// Removes Cache-Control from every response.
pub(crate) fn no_cache_control() -> Plant {
    Plant::answer(|_, answered| answered.remove_header("cache-control"))
}
