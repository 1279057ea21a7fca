//! Ids of cases are permanent: reports and lists of known failures name them.

use std::collections::BTreeSet;

use expect_test::expect_file;
use platform_conformance::{Contract, GROUPS, catalogue};

/// An id is permanent: keep it as long as the case exists. After an intended change, run
/// `UPDATE_EXPECT=1 cargo test -p platform-conformance --test it -- ids::`.
#[test]
fn ids_are_permanent() {
    let ids: BTreeSet<_> = catalogue().into_iter().map(|case| case.id).collect();
    let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
    expect_file!["./ids.txt"].assert_eq(&text);
}

#[test]
fn ids_are_unique() {
    let mut seen = BTreeSet::new();
    for case in catalogue() {
        assert!(seen.insert(case.id.clone()), "{} is a duplicate", case.id);
    }
}

#[test]
fn every_id_begins_with_its_group() {
    for case in catalogue() {
        assert!(
            GROUPS.iter().any(|group| group.name == case.group()),
            "{} has no group",
            case.id
        );
    }
}

#[test]
fn every_case_names_its_operations() {
    let contract = Contract::bundled();
    for case in catalogue() {
        let operations = case.operations();
        assert!(
            !operations.is_empty(),
            "{}: cite a clause below an operation, or name it with .on([…])",
            case.id
        );
        for name in operations {
            let known = contract.operations().iter().any(|operation| operation.id == name);
            // Routes that the contract does not have, and responses of every operation.
            assert!(known || ["unrouted", "any"].contains(&name), "{}: {name}", case.id);
        }
    }
}
