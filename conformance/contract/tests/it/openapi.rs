//! Consistency of `openapi.yaml`: every mark, sentence and decision is used and found.

use std::collections::BTreeSet;

use platform_contract::{Basis, Contract};

#[test]
fn every_sentence_with_a_basis_occurs_in_its_description() {
    let contract = Contract::bundled();
    let missing: Vec<_> = contract
        .promises()
        .into_iter()
        .filter(|promise| !contract.says(&promise.pointer, &promise.says))
        .map(|promise| format!("{}: {}", promise.pointer, promise.says))
        .collect();
    assert!(missing.is_empty(), "not in the description beside them: {missing:#?}");
}

#[test]
fn sentence_with_a_basis_differs_from_its_node() {
    let contract = Contract::bundled();
    for promise in contract.promises() {
        assert_ne!(
            contract.basis(&promise.pointer),
            Some(promise.basis),
            "{}: {:?} rests on what its node rests on; it needs no entry",
            promise.pointer,
            promise.says
        );
    }
}

#[test]
fn every_decision_has_a_row_and_every_row_is_used() {
    let contract = Contract::bundled();
    let rows: Vec<_> = contract.decisions().into_iter().map(|row| row.id).collect();
    let expected: Vec<_> = (1..=rows.len()).map(|number| format!("D{number:02}")).collect();
    assert_eq!(rows, expected, "x-decisions are numbered in order");
    let used = contract.decisions_in_use();
    assert_eq!(used, rows.into_iter().collect::<BTreeSet<_>>());
    for row in contract.decisions() {
        let texts = [&row.open, &row.decided, &row.why];
        assert!(texts.iter().all(|text| !text.is_empty()), "{}", row.id);
    }
}

/// `NO` is a country, and false for a YAML 1.1 reader.
#[test]
fn readers_of_yaml_1_1_read_the_same() {
    assert_eq!(Contract::bundled().ambiguous_scalars(), []);
}

#[test]
fn every_error_code_has_its_status_meaning_and_remedy() {
    let contract = Contract::bundled();
    let node = contract.get("/components/schemas/ProblemCode").unwrap();
    let codes: Vec<_> = node["enum"].as_array().unwrap().iter().collect();
    let problems = node["x-problems"].as_array().unwrap();
    let explained: Vec<_> = problems.iter().map(|problem| &problem["code"]).collect();
    assert_eq!(codes, explained);
    for problem in problems {
        let status = problem["status"].as_u64().unwrap();
        let code = problem["code"].as_str().unwrap();
        let line = format!("- {status}: ");
        let description = node["description"].as_str().unwrap();
        let listed = description.lines().find(|text| text.starts_with(&line));
        assert!(listed.unwrap().contains(&format!("`{code}`")), "{code}");
        assert!(problem["meaning"].as_str().unwrap().ends_with('.'));
        assert!(problem["remedy"].as_str().unwrap().ends_with('.'));
    }
}

#[test]
fn error_of_a_rule_between_parameters_has_a_place() {
    let mut rules = 0;
    let parameters = &Contract::bundled().document()["components"]["parameters"];
    for (name, parameter) in parameters.as_object().unwrap() {
        for rule in parameter["x-constraints"].as_array().into_iter().flatten() {
            let place = rule["loc"].as_array().unwrap();
            let text = rule["rule"].as_str().unwrap();
            assert_eq!(place[0], "query", "{name}");
            assert!(text.contains(place[1].as_str().unwrap()), "{name}: {text}");
            rules += 1;
        }
    }
    assert_eq!(rules, 4);
}

/// Without an example for optional parameters, documentation pages send a first request that finds something.
#[test]
fn only_required_parameters_have_examples() {
    let contract = Contract::bundled();
    for operation in contract.operations() {
        for parameter in operation.parameters.iter().chain(&operation.request_headers) {
            let node = contract.get(&parameter.pointer).unwrap();
            let has = node.get("example").is_some() || node.get("examples").is_some();
            assert_eq!(has, parameter.required, "{}", parameter.name);
        }
    }
}

#[test]
fn error_bodies_of_stated_errors_are_decided() {
    let contract = Contract::bundled();
    let mut stated = 0;
    for operation in contract.operations() {
        for response in &operation.responses {
            for (media_type, schema) in &response.content {
                if schema["$ref"] != "#/components/schemas/Problem" {
                    continue;
                }
                let media = media_type.replace('/', "~1");
                let place = format!("{}/content/{media}/schema", response.pointer);
                assert_eq!(contract.basis(&place), Some(Basis::Decided("D20".to_owned())));
                stated += usize::from(contract.basis(&response.pointer) == Some(Basis::Stated));
            }
        }
    }
    assert!(stated > 10, "only {stated} media types of stated errors");
}
