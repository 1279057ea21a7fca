//! Fails when a test file that names operations one by one misses one of the contract.

use platform_contract::{Contract, Operation};

/// Test file, its text, and the operations that it must name.
type Rule = (&'static str, &'static str, fn(&Operation) -> bool);

const RULES: &[Rule] = &[
    ("wire.rs", include_str!("wire.rs"), |_| true),
    ("blocking.rs", include_str!("blocking.rs"), |_| true),
    ("retries.rs", include_str!("retries.rs"), |_| true),
    ("chaos/call.rs", include_str!("chaos/call.rs"), |_| true),
    ("reference_server.rs", include_str!("reference_server.rs"), |_| true),
    ("paging.rs", include_str!("paging.rs"), |operation| {
        has_parameter(operation, "skip")
    }),
];

fn has_parameter(operation: &Operation, name: &str) -> bool {
    operation.parameters.iter().any(|parameter| parameter.name == name)
}

#[test]
fn tests_that_name_operations_name_all_of_them() {
    let mut missing = Vec::new();
    for (file, text, has_to_name) in RULES {
        let operations = Contract::bundled().operations().iter();
        for operation in operations.filter(|operation| has_to_name(operation)) {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            if !words.any(|word| word == operation.id) {
                missing.push(format!("{} in sdk/tests/it/{file}", operation.id));
            }
        }
    }
    assert!(missing.is_empty(), "add tests of:\n{}", missing.join("\n"));
}
