//! A request that can be pasted into a shell.

use maud::{Markup, html};
use platform_contract::{Contract, Operation, Parameter};
use serde_json::Value;

use super::schema::plain;

/// The full-access key of the built-in data. It is public and works only on a reference server.
pub(super) const KEY: &str = "dev-full-access";

/// The address that the page's script replaces with the server's address.
const ADDRESS: &str = "http://127.0.0.1:8080";

/// An example of the operation: its required parameters, with the values from the contract's examples.
pub(super) fn example(contract: &Contract, operation: &Operation) -> Markup {
    let mut path = operation.path.clone();
    let mut texts = Vec::new();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.required) {
        let value = value_of(contract, parameter);
        match parameter.location.as_str() {
            "path" => path = path.replace(&format!("{{{}}}", parameter.name), &value),
            _ => texts.push(format!("{}={value}", parameter.name)),
        }
    }
    let body = operation.body.as_ref().and_then(|body| {
        let content = contract.get(&body.pointer)?["content"].as_object()?;
        let (media_type, content) = content.iter().next()?;
        Some((media_type, first_of(contract, content)?))
    });
    html! {
        div.example {
            button.copy type="button" hidden { "Copy" }
            pre { code {
                "curl "
                @if !texts.is_empty() { "--get " }
                "'" span data-address="" { (ADDRESS) } (path) "' \\\n  -H 'API-Key: " span data-key="" { (KEY) } "'"
                @for text in &texts { " \\\n  --data-urlencode '" (text) "'" }
                @if let Some((media_type, value)) = body {
                    " \\\n  -H 'Content-Type: " (media_type) "' \\\n  --data '" (value) "'"
                }
            } }
        }
    }
}

fn value_of(contract: &Contract, parameter: &Parameter) -> String {
    let node = contract.get(&parameter.pointer).unwrap_or(&Value::Null);
    let given = node.get("example").or_else(|| node.get("x-example"));
    given
        .or_else(|| first_of(contract, node))
        .map(plain)
        .unwrap_or_default()
}

/// The value of the first example.
fn first_of<'a>(contract: &'a Contract, node: &'a Value) -> Option<&'a Value> {
    let (_, example) = node["examples"].as_object()?.iter().next()?;
    contract.resolve(example).get("value")
}
