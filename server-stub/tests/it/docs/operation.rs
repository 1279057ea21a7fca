//! One operation: its description, parameters and responses.

use maud::{Markup, html};
use platform_contract::{Contract, Operation, Parameter, Response};
use serde_json::Value;

use super::curl;
use super::schema::{kind, limits, plain};
use super::text::{first_sentence, markdown, string};

/// Maximum number of optional parameters that are shown unfolded.
const SHOWN: usize = 6;

pub(super) fn article(contract: &Contract, operation: &Operation, node: &Value) -> Markup {
    let id = &operation.id;
    let parameters = operation.parameters.iter().chain(&operation.request_headers);
    let (required, optional): (Vec<_>, Vec<_>) = parameters.partition(|parameter| parameter.required);
    html! {
        article id=(id) data-block="" {
            h3 { a.anchor href={ "#" (id) } { (string(node, "summary")) } }
            p.route {
                span class={ "method " (operation.method.to_lowercase()) } { (operation.method) }
                " " code { (operation.path) }
                " " span.note { (id) }
            }
            (markdown(string(node, "description")))
            p.note {
                "Permission " code { (string(&node["x-permission"], "action")) } " "
                code { (string(&node["x-permission"], "resource")) }
                @if node["x-idempotent"] == true { " · safe to repeat" }
                " · allow " (node["x-timeout-seconds"]) " s for a response"
            }
            (curl::example(contract, operation))
            @if !required.is_empty() {
                h4 { "Required parameters" }
                (rows(contract, id, &required))
            }
            @if let Some(body) = &operation.body { (request_body(contract, &body.pointer)) }
            @if !optional.is_empty() {
                details.fold open[optional.len() <= SHOWN] {
                    summary { h4 { "Optional parameters" } " " span.note { (optional.len()) } }
                    (rows(contract, id, &optional))
                }
            }
            h4 { "Responses" }
            div.responses {
                @for response in &operation.responses { (answer(contract, id, response)) }
            }
        }
    }
}

fn rows(contract: &Contract, operation: &str, parameters: &[&Parameter]) -> Markup {
    html! {
        dl.rows { @for parameter in parameters { (row(contract, operation, parameter)) } }
    }
}

fn row(contract: &Contract, operation: &str, parameter: &Parameter) -> Markup {
    let node = contract.get(&parameter.pointer).unwrap_or(&Value::Null);
    let example = node.get("example").or_else(|| node.get("x-example"));
    html! {
        div.row id={ (operation) "." (parameter.name) } {
            dt {
                code { (parameter.name) } " " span.kind { (kind(&node["schema"])) }
                " " span.note { "in " (parameter.location) }
            }
            dd {
                (markdown(string(node, "description")))
                (limits(contract, &node["schema"]))
                @for rule in &parameter.constraints { p.note { "Rule: " code { (rule) } } }
                @if let Some(example) = example { p.note { "Example: " code { (listed(example)) } } }
            }
        }
    }
}

/// A value of an example; a list is several values.
fn listed(example: &Value) -> String {
    match example.as_array() {
        Some(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        None => plain(example),
    }
}

fn request_body(contract: &Contract, pointer: &str) -> Markup {
    let node = contract.get(pointer).unwrap_or(&Value::Null);
    html! {
        h4 { "Body" }
        (markdown(string(node, "description")))
        @for (media_type, content) in node["content"].as_object().into_iter().flatten() {
            p { code { (media_type) } " " span.kind { (kind(&content["schema"])) } }
        }
    }
}

fn answer(contract: &Contract, operation: &str, response: &Response) -> Markup {
    let node = contract.get(&response.pointer).unwrap_or(&Value::Null);
    let description = string(node, "description");
    let success = response.status.starts_with('2');
    html! {
        details id={ (operation) "." (response.status) } {
            summary {
                span class={ "status " (class_of(&response.status)) } { (response.status) }
                " " span.first { (markdown(first_sentence(description))) }
            }
            div.inside {
                (markdown(description))
                @if !response.codes.is_empty() {
                    p {
                        "Codes: "
                        @for code in &response.codes {
                            a.code href={ "#error-" (code) } { code { (code) } } " "
                        }
                    }
                }
                @if let Some((media_type, schema)) = response.content.first() {
                    p { "Body: " code { (media_type) } " " span.kind { (kind(schema)) } }
                }
                @if !response.headers.is_empty() {
                    p {
                        "Headers: "
                        @for header in &response.headers {
                            code { (header.name) } @if !header.required { " (may be absent)" } " "
                        }
                    }
                }
                @if success { (examples(contract, node)) }
            }
        }
    }
}

fn examples(contract: &Contract, response: &Value) -> Markup {
    let contents = response["content"].as_object().into_iter().flatten();
    let examples = contents.flat_map(|(_, content)| content["examples"].as_object().into_iter().flatten());
    html! {
        @for (_, example) in examples {
            @let example = contract.resolve(example);
            @let text = serde_json::to_string_pretty(&example["value"]).unwrap_or_default();
            p.note { (string(example, "summary")) }
            pre { code { (text) } }
        }
    }
}

/// The class of a status, which determines its colour.
pub(super) fn class_of(status: &str) -> &'static str {
    match status.as_bytes().first() {
        Some(b'2') => "good",
        Some(b'5') => "broken",
        _ => "bad",
    }
}
