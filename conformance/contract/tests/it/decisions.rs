//! `docs/decisions.md` is what the contract has in `x-decisions`.

use std::fmt::Write;
use std::path::Path;

use platform_contract::{Basis, Contract};

const HEAD: &str = "\
<!-- Generated from openapi.yaml. Change `x-decisions` there, then run
     `UPDATE=1 cargo test -p platform-contract --test it decisions`. -->

# Decisions

The source description of the service leaves points open. This is what the contract decides about each of them, and
why. A deployment that decided otherwise is not broken, only different: the conformance kit tells the two apart.
";

fn document(contract: &Contract) -> String {
    let mut text = HEAD.to_owned();
    for decision in contract.decisions() {
        let id = &decision.id;
        write!(
            text,
            "\n## {id}: {}\n\n{}\n\n*Why:* {}\n",
            decision.open, decision.decided, decision.why
        )
        .unwrap();
        let basis = Basis::Decided(id.clone());
        let sentences = contract.promises();
        let mut said: Vec<String> = Vec::new();
        for promise in sentences.iter().filter(|promise| promise.basis == basis) {
            let line = format!("- {}\n", promise.says);
            if !said.contains(&line) {
                said.push(line);
            }
        }
        if !said.is_empty() {
            write!(text, "\nIn the contract:\n\n{}", said.concat()).unwrap();
        }
    }
    text
}

#[test]
fn the_page_of_decisions_is_generated_from_the_contract() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/decisions.md");
    let fresh = document(Contract::bundled());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &fresh).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        fresh == committed,
        "docs/decisions.md differs from x-decisions. Run `UPDATE=1 cargo test -p platform-contract --test it \
         decisions`, then read the difference and commit it."
    );
}
