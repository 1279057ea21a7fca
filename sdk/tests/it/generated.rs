//! The committed client equals the one generated from the contract.

use expect_test::{ExpectFile, expect_file};

#[test]
fn committed_client_is_generated_from_the_contract() {
    let committed = expect_file!["../../src/generated.rs"];
    assert_generated(&committed, super::generate::client);
}

#[test]
fn committed_examples_are_those_of_the_contract() {
    let committed = expect_file!["../../src/mock/examples.rs"];
    assert_generated(&committed, super::generate::examples);
}

/// After a change of the contract, run `UPDATE_EXPECT=1 cargo test -p platform-sdk --test it generated`, then
/// review the difference and commit it.
fn assert_generated(committed: &ExpectFile, generate: fn(&str) -> String) {
    let contract = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi.yaml");
    let contract = std::fs::read_to_string(contract).unwrap();
    committed.assert_eq(&generate(&contract));
}

#[test]
fn operation_without_a_policy_is_refused() {
    let contract = crate::contract();
    let paths = contract["paths"].as_object().unwrap();
    for (path, methods) in paths {
        for method in methods.as_object().unwrap().keys() {
            for policy in ["x-idempotent", "x-retryable-statuses", "x-timeout-seconds"] {
                let mut silent = contract.clone();
                let operation = &mut silent["paths"][path][method];
                operation.as_object_mut().unwrap().remove(policy).unwrap();
                let text = silent.to_string();
                let refused = std::panic::catch_unwind(|| super::generate::client(&text));
                let why = refused.expect_err("it is generated").downcast::<String>();
                let id = &contract["paths"][path][method]["operationId"];
                let expected = format!("{} has no {policy}", id.as_str().unwrap());
                assert_eq!(*why.unwrap(), expected);
            }
        }
    }
}
