//! The committed client is the one of the contract, and what the contract lacks is an error with its place.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod new_operations;

use std::path::Path;

use platform_contract::Contract;
use platform_sdk_codegen::{Error, Fault, generate};
use serde_json::Value;

/// `openapi.yaml`.
fn contract() -> Value {
    Contract::bundled().document().clone()
}

/// What is wrong with a contract.
fn fault(contract: &Value) -> Fault {
    match generate(&contract.to_string()) {
        Err(Error::Contract(fault)) => fault,
        other => panic!(
            "the contract is at fault, not {:?}",
            other.map(|_| "nothing")
        ),
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
