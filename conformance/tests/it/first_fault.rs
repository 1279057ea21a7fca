//! That `errors` names every fault of a request is one clause. A deployment that names the first alone breaks
//! that one and no other, whatever else the cases send together.

use platform_conformance::Verdict;
use platform_conformance::selftest::Plant;
use platform_server_stub::Server;

use crate::served;

/// The cases that look at the clause, or at how many faults are listed of a request that has more than 20.
const EVERY_FAULT: [&str; 4] = [
    "parameter/every-fault-is-told",
    "parameter/first-20-faults-are-listed",
    "add/every-fault-is-told",
    "search-error/all-faults-are-named/",
];

#[tokio::test(flavor = "multi_thread")]
async fn who_names_the_first_fault_alone_breaks_that_clause_alone() {
    let plant = Plant::answer(|_, answered| {
        if answered.code() == "validation_failed" {
            answered
                .list("errors")
                .into_iter()
                .for_each(|errors| errors.truncate(1));
        }
    });
    let groups = [
        "limit/*",
        "skip/*",
        "parameter/*",
        "add/*",
        "search-limit/*",
        "search-values/*",
        "search-text/*",
        "search-error/*",
        "law/*",
        "schema/*",
    ];
    let report = served::run_on(plant.around(Server::built_in().router()), &groups).await;
    // Sending each fault alone takes no case beyond the requests that it announces.
    assert_eq!(report.with(Verdict::Errored), Vec::<&str>::new());
    let mut untold = report.with(Verdict::Inconclusive);
    // Those that watch need all groups.
    untold.retain(|id| !id.starts_with("schema/"));
    assert_eq!(untold, Vec::<&str>::new());
    let failed = report.with(Verdict::Failed);
    for wanted in EVERY_FAULT {
        assert!(
            failed.iter().any(|id| id.starts_with(wanted)),
            "{wanted}: {failed:#?}"
        );
    }
    let of_the_clause = |id: &&str| EVERY_FAULT.iter().any(|wanted| id.starts_with(wanted));
    let others: Vec<_> = failed.into_iter().filter(|id| !of_the_clause(id)).collect();
    assert_eq!(others, Vec::<&str>::new());
}
