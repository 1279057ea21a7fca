//! A deployment whose `errors` names only the first fault violates one clause, and fails no case of another, even
//! where cases combine faults.

use platform_conformance::Verdict;
use platform_conformance::selftest::Plant;

use crate::served;

/// The cases of the clause, and those of the number of listed faults for a request with more than 20.
const EVERY_FAULT: [&str; 5] = [
    "parameter/every-fault-is-told",
    "parameter/both-ids-are-told/",
    "parameter/first-20-faults-are-listed",
    "add/every-fault-is-told",
    "search-error/all-faults-are-named/",
];

#[tokio::test(flavor = "multi_thread")]
async fn reporting_only_the_first_fault_breaks_only_that_clause() {
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
    let report = served::run_on(plant.around(crate::served::router()), &groups).await;
    // Sending each fault alone keeps every case within its announced requests.
    assert_eq!(report.with(Verdict::Errored), Vec::<&str>::new());
    let mut inconclusive = report.with(Verdict::Inconclusive);
    // The cases that check all responses need all groups.
    inconclusive.retain(|id| !id.starts_with("schema/"));
    assert_eq!(inconclusive, Vec::<&str>::new());
    let failed = report.with(Verdict::Failed);
    for wanted in EVERY_FAULT {
        assert!(failed.iter().any(|id| id.starts_with(wanted)), "{wanted}: {failed:#?}");
    }
    let of_the_clause = |id: &&str| EVERY_FAULT.iter().any(|wanted| id.starts_with(wanted));
    let others: Vec<_> = failed.into_iter().filter(|id| !of_the_clause(id)).collect();
    assert_eq!(others, Vec::<&str>::new());
}
