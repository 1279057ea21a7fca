//! `docs/decisions.md` is generated from `x-decisions` of the contract.

use std::fmt::Write;

use expect_test::expect_file;
use platform_contract::{Basis, Contract};

const HEAD: &str = "\
<!-- Generated from openapi.yaml. Change `x-decisions` there, then run
     `UPDATE_EXPECT=1 cargo test -p platform-contract --test it decisions`. -->

# Decisions

[The source description of the service](../README.md#stated-and-decided) leaves points open. This is what the contract
decides about each of them, and why. A deployment that decided otherwise is not wrong, only different: check it with
`--level stated`, or with a profile.
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
        // Each sentence once, with the names of the nodes that have it.
        let mut said: Vec<(String, Vec<String>)> = Vec::new();
        for promise in sentences.iter().filter(|promise| promise.basis == basis) {
            let name = name(contract, &promise.pointer);
            match said.iter_mut().find(|(sentence, _)| *sentence == promise.says) {
                Some((_, names)) if name.as_ref().is_some_and(|name| names.contains(name)) => {}
                Some((_, names)) => names.extend(name),
                None => said.push((promise.says.clone(), name.into_iter().collect())),
            }
        }
        if !said.is_empty() {
            text += "\nIn the contract:\n\n";
            for (sentence, names) in said {
                let place = match names.is_empty() {
                    true => String::new(),
                    false => names.join(", ") + ": ",
                };
                writeln!(text, "- {place}{sentence}").unwrap();
            }
        }
    }
    text
}

/// The name of a node for people: the id of an operation, the name of a parameter, otherwise the last names of its
/// pointer. `None` for the description of the whole contract.
fn name(contract: &Contract, pointer: &str) -> Option<String> {
    let node = contract.get(pointer).unwrap();
    let own = ["operationId", "name"]
        .iter()
        .find_map(|member| node.get(member)?.as_str());
    let (_, last) = pointer.rsplit_once('/').unwrap();
    match (pointer.split_once("/properties/"), own) {
        _ if pointer == "/info" => None,
        (_, Some(own)) => Some(format!("`{own}`")),
        (Some((schema, property)), None) => {
            let (_, schema) = schema.rsplit_once('/').unwrap();
            Some(format!("`{schema}.{property}`"))
        }
        (None, None) => Some(format!("`{last}`")),
    }
}

#[test]
fn page_of_decisions_is_generated_from_the_contract() {
    // To update it, run the command in `HEAD`, then review the difference and commit it.
    expect_file!["../../../../docs/decisions.md"].assert_eq(&document(Contract::bundled()));
}
