//! The contract follows its own rules, so that the kit and the client can rely on it.

use std::collections::BTreeSet;

use platform_contract::{Contract, Operation, escape, to_json_schema};
use serde_json::Value;

fn members(node: &Value) -> impl Iterator<Item = (&String, &Value)> {
    node.as_object().into_iter().flatten()
}

fn document() -> &'static Value {
    Contract::bundled().document()
}

fn resolve(mut node: &'static Value) -> &'static Value {
    while let Some(reference) = node.get("$ref").and_then(Value::as_str) {
        node = document()
            .pointer(&reference[1..])
            .unwrap_or_else(|| panic!("{reference} has no target"));
    }
    node
}

fn operation_node(operation: &Operation) -> &'static Value {
    document().pointer(&operation.pointer).unwrap()
}

/// Visits every node below `node`, with its place.
fn visit(node: &'static Value, place: String, look: &mut impl FnMut(&str, &'static Value)) {
    look(&place, node);
    match node {
        Value::Object(object) => {
            for (name, member) in object {
                visit(member, format!("{place}/{}", escape(name)), look);
            }
        }
        Value::Array(list) => {
            for (position, member) in list.iter().enumerate() {
                visit(member, format!("{place}/{position}"), look);
            }
        }
        _ => {}
    }
}

#[test]
fn every_example_fits_its_schema() {
    let mut count = 0;
    visit(document(), String::new(), &mut |place, node| {
        let (Some(examples), Some(schema)) = (node.get("examples"), node.get("schema")) else {
            return;
        };
        let validator = validator(schema);
        for (name, example) in members(examples) {
            let value = &resolve(example)["value"];
            let faults: Vec<String> = validator.iter_errors(value).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{place}/examples/{name}: {faults:?}");
            count += 1;
        }
    });
    visit(document(), String::new(), &mut |place, node| {
        if place.ends_with("/example") || node.get("schema").is_none() {
            return;
        }
        let Some(example) = node.get("example").or_else(|| node.get("x-example")) else {
            return;
        };
        assert!(validator(&node["schema"]).is_valid(example), "{place}: {example}");
        count += 1;
    });
    assert!(count > 60, "only {count} examples were seen");
}

fn validator(schema: &Value) -> jsonschema::Validator {
    let schema = to_json_schema(Contract::bundled(), schema);
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

#[test]
fn every_response_and_every_problem_code_has_an_example() {
    let mut shown = BTreeSet::new();
    for operation in Contract::bundled().operations() {
        for (status, response) in members(&operation_node(operation)["responses"]) {
            for (media_type, content) in members(&resolve(response)["content"]) {
                let examples: Vec<_> = members(&content["examples"]).collect();
                assert!(
                    !examples.is_empty(),
                    "{} {status} {media_type} has no example",
                    operation.id
                );
                for (name, example) in examples {
                    let value = &resolve(example)["value"];
                    let Some(code) = value["code"].as_str() else {
                        continue;
                    };
                    shown.insert(code.to_owned());
                    let of_example = value["status"].to_string();
                    let agrees = of_example == *status || status == "5XX" && of_example.starts_with('5');
                    assert!(
                        agrees,
                        "{} {status}: the example {name} has the status {of_example}",
                        operation.id
                    );
                }
            }
        }
    }
    let codes = &document()["components"]["schemas"]["ProblemCode"];
    for code in codes["enum"].as_array().unwrap() {
        let code = code.as_str().unwrap();
        assert!(
            codes["description"].as_str().unwrap().contains(&format!("`{code}`")),
            "{code} is not described"
        );
        // These codes belong to requests that reach no operation.
        let elsewhere = [
            "headers_too_large",
            "method_not_allowed",
            "route_not_found",
            "uri_too_long",
        ];
        let elsewhere = elsewhere.contains(&code);
        assert!(elsewhere != shown.contains(code), "{code}");
    }
}

#[test]
fn every_node_is_stated_or_decided() {
    let contract = Contract::bundled();
    let mut unmarked = Vec::new();
    let mut need = |pointer: String| {
        if contract.basis(&pointer).is_none() {
            unmarked.push(pointer);
        }
    };
    for operation in contract.operations() {
        need(operation.pointer.clone());
        operation
            .parameters
            .iter()
            .for_each(|parameter| need(parameter.pointer.clone()));
        operation
            .responses
            .iter()
            .for_each(|response| need(response.pointer.clone()));
    }
    for kind in ["schemas", "parameters", "headers", "responses", "securitySchemes"] {
        for (name, component) in members(&document()["components"][kind]) {
            need(format!("/components/{kind}/{name}"));
            for (property, _) in members(&component["properties"]) {
                need(format!("/components/{kind}/{name}/properties/{property}"));
            }
        }
    }
    assert!(unmarked.is_empty(), "neither stated nor decided: {unmarked:#?}");
}

#[test]
fn decided_nodes_name_a_decision_and_stated_nodes_do_not() {
    let rows = Contract::bundled().decisions();
    visit(
        document(),
        String::new(),
        &mut |place, node| match node.get("x-basis").and_then(Value::as_str) {
            Some("decided") => {
                let decision = node["x-decision"]
                    .as_str()
                    .unwrap_or_else(|| panic!("{place} names no decision"));
                assert!(rows.iter().any(|row| row.id == decision), "{place}: {decision}");
            }
            Some("stated") => assert!(node.get("x-decision").is_none(), "{place}"),
            Some(other) => panic!("{place}: {other}"),
            None => {}
        },
    );
}

#[test]
fn inline_schema_with_a_type_name_repeats_the_schema_of_that_name() {
    let schemas = &document()["components"]["schemas"];
    let mut copies = 0;
    visit(document(), String::new(), &mut |place, node| {
        let Some(name) = node.get("x-type-name").and_then(Value::as_str) else {
            return;
        };
        assert_eq!(node["nullable"], true, "{place}");
        // Some names occur only here, and the funding stages are open in responses.
        let Some(named) = schemas.get(name).filter(|_| name != "FundingStage") else {
            return;
        };
        for keyword in ["type", "format", "minimum", "maximum", "pattern"] {
            assert_eq!(node.get(keyword), named.get(keyword), "{place} {keyword}");
        }
        copies += 1;
    });
    assert!(copies > 2);
}

#[test]
fn every_operation_documents_what_a_client_must_know() {
    for operation in Contract::bundled().operations() {
        let node = operation_node(operation);
        let statuses = node["x-retryable-statuses"].as_array().unwrap();
        assert_eq!(node["x-idempotent"], operation.is_read(), "{}", operation.id);
        assert!(
            statuses
                .iter()
                .all(|status| (400..600).contains(&status.as_u64().unwrap())),
            "{}",
            operation.id
        );
        // A write whose outcome is unknown is not sent again.
        assert!(operation.is_read() || *statuses == [429], "{}", operation.id);
        assert!(
            node["x-timeout-seconds"].as_u64().is_some_and(|seconds| seconds > 0),
            "{}",
            operation.id
        );
        assert!(node["x-permission"]["action"].is_string() && node["x-permission"]["resource"].is_string());
    }
}

/// The kit reads the codes of an error from its examples, a person from its text: both are the same.
#[test]
fn codes_of_an_error_are_those_of_its_examples() {
    let contract = Contract::bundled();
    let codes = &document()["components"]["schemas"]["ProblemCode"]["enum"];
    let codes: BTreeSet<_> = codes
        .as_array()
        .unwrap()
        .iter()
        .map(|code| code.as_str().unwrap())
        .collect();
    for response in contract.operations().iter().flat_map(|operation| &operation.responses) {
        if response.status.starts_with('2') {
            continue;
        }
        let text = contract.description(&response.pointer).unwrap();
        let named: BTreeSet<_> = text
            .split('`')
            .filter(|word| codes.contains(word))
            .map(str::to_owned)
            .collect();
        assert_eq!(named, response.codes, "{}", response.pointer);
    }
}
