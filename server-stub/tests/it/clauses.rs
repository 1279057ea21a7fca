//! `src/control/clauses.rs`, what the contract says about each operation.

use std::fmt::Write;

use expect_test::expect_file;
use platform_contract::Contract;

const HEAD: &str = "\
//! Generated from openapi.yaml. Update it with `UPDATE_EXPECT=1 cargo test -p platform-server-stub --test it clauses`.

use super::clause::Clause;

";

#[test]
fn committed_clauses_are_generated_from_the_contract() {
    expect_file!["../../src/control/clauses.rs"].assert_eq(&clauses(Contract::bundled()));
}

fn clauses(contract: &Contract) -> String {
    let operations = contract.operations();
    let mut text = HEAD.to_owned();
    let count = operations.len();
    writeln!(
        text,
        "#[rustfmt::skip]\npub(super) const CLAUSES: [Clause; {count}] = ["
    )
    .unwrap();
    for operation in operations {
        let line = contract.line(&operation.pointer).unwrap();
        let statuses: Vec<_> = operation.responses.iter().map(|response| &response.status).collect();
        let retryable = &contract.get(&operation.pointer).unwrap()["x-retryable-statuses"];
        let retryable: Vec<u16> = serde_json::from_value(retryable.clone()).unwrap();
        let (id, method, path) = (&operation.id, &operation.method, &operation.path);
        writeln!(
            text,
            "    Clause {{\n        id: {id:?},\n        line: {line},\n        method: {method:?},\n        \
             path: {path:?},\n        statuses: &{statuses:?},\n        retryable: &{retryable:?},\n    }},"
        )
        .unwrap();
    }
    text + "];\n"
}
