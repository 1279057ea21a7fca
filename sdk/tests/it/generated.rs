//! The committed client is the one that the contract gives.

use std::path::Path;

#[test]
fn committed_client_is_generated_from_the_contract() {
    assert_generated("src/generated.rs", super::generate::client);
}

#[test]
fn committed_examples_are_those_of_the_contract() {
    assert_generated("src/mock/examples.rs", super::generate::examples);
}

fn assert_generated(path: &str, generate: fn(&str) -> String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let contract = std::fs::read_to_string(root.join("../openapi.yaml")).unwrap();
    let fresh = generate(&contract);
    let file = root.join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &fresh).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    if fresh == committed {
        return;
    }
    let line = fresh
        .lines()
        .zip(committed.lines())
        .position(|(a, b)| a != b)
        .unwrap_or_else(|| fresh.lines().count().min(committed.lines().count()));
    panic!(
        "sdk/{path} differs from what openapi.yaml gives, first in line {}:\n  contract:  {}\n  committed: {}\n\
         Run `UPDATE=1 cargo test -p platform-sdk --test it generated`, then read the difference and commit it.",
        line + 1,
        fresh.lines().nth(line).unwrap_or("<end>"),
        committed.lines().nth(line).unwrap_or("<end>"),
    );
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
