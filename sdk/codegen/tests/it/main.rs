//! The committed client matches the contract, and a gap in the contract is an error with its place.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::path::Path;

use platform_contract::Contract;
use platform_sdk_codegen::{Error, Fault, generate};
use serde_json::Value;

fn contract() -> Value {
    Contract::bundled().document().clone()
}

/// Returns the fault of a contract.
fn fault(contract: &Value) -> Fault {
    match generate(&contract.to_string()) {
        Err(Error::Contract(fault)) => fault,
        other => panic!("the contract is at fault, not {:?}", other.map(|_| "nothing")),
    }
}

#[test]
fn committed_client_is_generated_from_the_contract() {
    let client = generate(platform_contract::TEXT).unwrap();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/generated");
    let differences = client.differences(&committed).unwrap();
    let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert!(
        differences.is_empty(),
        "run `cargo codegen`, review the difference and commit it:\n{}",
        differences.join("\n")
    );
}

#[test]
fn operation_without_a_policy_is_an_error_with_its_place() {
    let contract = contract();
    for operation in Contract::bundled().operations() {
        for policy in ["x-idempotent", "x-retryable-statuses", "x-timeout-seconds"] {
            let mut silent = contract.clone();
            let node = silent.pointer_mut(&operation.pointer).unwrap();
            node.as_object_mut().unwrap().remove(policy).unwrap();
            let fault = fault(&silent);
            assert_eq!(fault.operation(), Some(&*operation.id));
            assert_eq!(fault.pointer(), operation.pointer);
            let expected = format!("{}: has no {policy} ({})", operation.id, operation.pointer);
            assert!(fault.to_string().ends_with(&expected), "{fault}");
        }
    }
}

#[test]
fn missing_facts_are_errors_with_operation_and_place() {
    let list_items = Contract::bundled().operation("list_items");
    let list = &list_items.pointer;
    let limit = &list_items.parameter("limit").pointer;
    type Change = fn(&mut Value);
    let cases: [(String, Change, Option<&str>, &str); 6] = [
        (
            format!("{list}/responses"),
            |responses| {
                responses.as_object_mut().unwrap().remove("200");
            },
            Some("list_items"),
            "has no success response",
        ),
        (
            format!("{list}/responses"),
            |responses| responses["202"] = responses["200"].clone(),
            Some("list_items"),
            "is a second success response",
        ),
        (
            format!("{list}/x-timeout-seconds"),
            |seconds| *seconds = "soon".into(),
            Some("list_items"),
            "x-timeout-seconds is not a number of seconds",
        ),
        (
            "/components/schemas/ProblemCode/x-problems".to_owned(),
            |problems| {
                problems.as_array_mut().unwrap().remove(0);
            },
            None,
            "x-problems does not explain `malformed_request`",
        ),
        (
            "/components/schemas/ProblemCode".to_owned(),
            |codes| {
                codes.as_object_mut().unwrap().remove("enum");
            },
            None,
            "is not a list of codes (`enum`)",
        ),
        (
            limit.clone(),
            |limit| {
                limit.as_object_mut().unwrap().remove("description");
            },
            Some("list_items"),
            "the parameter limit has no description",
        ),
    ];
    for (place, change, operation, why) in cases {
        let mut contract = contract();
        let node = contract.pointer_mut(&place);
        change(node.unwrap_or_else(|| panic!("the contract has no {place}")));
        let fault = fault(&contract);
        assert_eq!(fault.operation(), operation, "{fault}");
        assert!(fault.to_string().contains(why), "{fault}");
        assert!(fault.line().is_some(), "{fault}");
    }
}

#[test]
fn check_names_the_files_that_differ() {
    use platform_sdk_codegen::Difference;

    let folder = tempfile::tempdir().unwrap();
    let client = generate(platform_contract::TEXT).unwrap();
    client.write(folder.path()).unwrap();
    assert_eq!(client.differences(folder.path()).unwrap(), []);

    let changed = folder.path().join("operations.rs");
    let text = std::fs::read_to_string(&changed).unwrap();
    std::fs::write(&changed, text.replace("LIST_ITEMS", "LISTED")).unwrap();
    std::fs::write(folder.path().join("old.rs"), "// @generated\n").unwrap();
    std::fs::write(folder.path().join("by_hand.rs"), "//! Mine.\n").unwrap();
    std::fs::remove_file(folder.path().join("mod.rs")).unwrap();
    let differences = client.differences(folder.path()).unwrap();
    assert!(matches!(
        &differences[..],
        [Difference::Missing(_), Difference::Changed(_, line), Difference::Stale(_)] if *line > 1
    ));
    client.write(folder.path()).unwrap();
    assert_eq!(client.differences(folder.path()).unwrap(), []);
    assert!(folder.path().join("by_hand.rs").exists());
}
