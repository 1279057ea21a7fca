//! `docs/decisions.md` is generated from `x-decisions` of the contract.

use std::fmt::Write;

use expect_test::expect_file;
use platform_contract::{Basis, Contract};

const HEAD: &str = "\
<!-- Generated from openapi.yaml. Change `x-decisions` there, then run
     `UPDATE_EXPECT=1 cargo test -p platform-contract --test it decisions`. -->

# Decisions

The source description of the service leaves points open. This is what the contract decides about each of them, and
why. A deployment that decided otherwise is not broken, only different: the conformance kit distinguishes the two.
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
    // To update it, run the command in `HEAD`, then review the difference and commit it.
    expect_file!["../../../../docs/decisions.md"].assert_eq(&document(Contract::bundled()));
}
