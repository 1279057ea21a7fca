//! Ids of cases are permanent: reports and lists of known failures name them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use platform_conformance::{Contract, GROUPS, catalogue};

#[test]
fn ids_are_permanent() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/ids.txt");
    let ids: BTreeSet<_> = catalogue().into_iter().map(|case| case.id).collect();
    let text = ids.iter().map(|id| format!("{id}\n")).collect::<String>();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let kept: BTreeSet<_> = kept.lines().map(str::to_owned).collect();
    let gone: Vec<_> = kept.difference(&ids).collect();
    let new: Vec<_> = ids.difference(&kept).collect();
    assert!(
        gone.is_empty() && new.is_empty(),
        "the ids of the catalogue have changed.\ngone: {gone:#?}\nnew: {new:#?}\n\
         An id is permanent: keep it when the case stays. When the change is meant, run this test with UPDATE=1."
    );
}

#[test]
fn no_id_stands_twice() {
    let mut seen = BTreeSet::new();
    for case in catalogue() {
        assert!(seen.insert(case.id.clone()), "{} stands twice", case.id);
    }
}

#[test]
fn every_id_begins_with_its_group() {
    for case in catalogue() {
        assert!(
            GROUPS.iter().any(|group| group.name == case.group()),
            "{} is of no group",
            case.id
        );
    }
}

#[test]
fn every_case_says_which_operations_it_looks_at() {
    let contract = Contract::bundled();
    for case in catalogue() {
        let operations = case.operations();
        assert!(
            !operations.is_empty(),
            "{}: cite a clause below an operation, or name it with .on([…])",
            case.id
        );
        for name in operations {
            let known = contract
                .operations()
                .iter()
                .any(|operation| operation.id == name);
            // Routes that the contract does not have, and responses of every operation.
            assert!(
                known || ["unrouted", "any"].contains(&name),
                "{}: {name}",
                case.id
            );
        }
    }
}
