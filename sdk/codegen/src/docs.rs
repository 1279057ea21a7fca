//! The documentation of the generated code, taken from the contract.

use quote::ToTokens;
use serde_json::Value;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Expr, Fields, ImplItem, Item, ItemImpl, Lit, Meta, parse_quote};

use crate::contract::{Contract, Operation};
use crate::error::Result;
use crate::names::{name_of, pascal_case};
use crate::samples::Samples;
use crate::syntax::{field_name, module, self_type};

const CLIENT: &str = "\
Client of one deployment, with a method for each operation.

Create one with [`Client::builder`] or [`Client::from_env`]. Clones are cheap and share connections. A
method returns a request; set its parameters with one method each, then call `send`.

```no_run
# async fn example() -> Result<(), platform_sdk::Error> {
use platform_sdk::Client;

let client = Client::from_env()?;
let page = client.list_items().pipeline_id(1).limit(50).send().await?;
println!(\"{} of {} items\", page.items.len(), page.total_count);
# Ok(())
# }
```";

const WALK: &str = "\
Returns a walk over all items of the request, across its pages. `skip` sets where the walk begins, and
`limit` the maximum number of items in total";

pub(crate) fn fill_in(file: &mut syn::File, contract: &Contract, samples: &Samples<'_>) -> Result<()> {
    for item in &mut file.items {
        match item {
            Item::Struct(client) if client.ident == "Client" => set(&mut client.attrs, CLIENT),
            Item::Impl(block) => {
                let style = Style::of(&*block);
                document_operations(&mut block.items, contract, style);
            }
            _ => {}
        }
    }
    let types = module(&mut file.items, "types")?;
    document_types(types, contract)?;
    show_types(types, contract, samples)?;
    document_body_builders(types, contract)?;
    document_conversion_error(module(types, "error")?, contract);
    document_requests(module(&mut file.items, "builder")?, contract);
    OneLineEach.visit_file_mut(file);
    Ok(())
}

/// The style of an example.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    Async,
    Blocking,
}

impl Style {
    /// Returns the style for a block of methods, by its self type.
    fn of(block: &ItemImpl) -> Self {
        match block.self_ty.to_token_stream().to_string().contains("blocking") {
            true => Self::Blocking,
            false => Self::Async,
        }
    }

    /// Returns an example with these lines, which may use `client` and `?`.
    fn example(self, lines: &str) -> String {
        let (function, client) = match self {
            Self::Async => ("async fn", "platform_sdk::Client"),
            Self::Blocking => ("fn", "platform_sdk::blocking::Client"),
        };
        let lines = match self {
            Self::Async => lines.to_owned(),
            Self::Blocking => lines.replace("\n    .await?", "?"),
        };
        format!(
            "```no_run\n# {function} example(client: &{client}) -> Result<(), platform_sdk::Error> {{\n\
             {lines}\n# Ok(())\n# }}\n```"
        )
    }
}

/// Replaces progenitor's examples with ones that compile and set every parameter to its contract example.
fn document_operations(items: &mut [ImplItem], contract: &Contract, style: Style) {
    for item in items {
        let ImplItem::Fn(method) = item else { continue };
        let Some(operation) = contract.operation(&method.sig.ident.to_string()) else {
            continue;
        };
        let text = text_of(&method.attrs);
        let (description, _) = text.split_once("Arguments:").unwrap_or((&text, ""));
        let description = description
            .replace("\n\n\n", "\n\n")
            .replace("Sends a", "It is sent as a");
        let example = example(operation, ".send()", style);
        let text = format!("{}.\n\n{example}", description.trim());
        set(&mut method.attrs, &text);
    }
}

/// Returns a call with every parameter that ends in `ending`.
fn example(operation: &Operation, ending: &str, style: Style) -> String {
    let parameters = operation
        .parameters
        .iter()
        .map(|parameter| (&parameter.name, &parameter.example));
    let setters = setters(parameters.chain(&operation.body));
    let call = format!(
        "let answer = client\n    .{}()\n{setters}    {ending}\n    .await?;",
        operation.id
    );
    format!("# Example\n\n{}", style.example(&call))
}

/// Returns a line for each parameter.
fn setters<'a>(parameters: impl IntoIterator<Item = (&'a String, &'a Value)>) -> String {
    let setter = |(name, value)| format!("    .{name}({})\n", literal(value));
    parameters.into_iter().map(setter).collect()
}

/// Returns a value as a Rust literal.
pub(crate) fn literal(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

/// Documents undescribed fields with the description of their type's schema.
fn document_types(items: &mut [Item], contract: &Contract) -> Result<()> {
    for item in items {
        match item {
            Item::Struct(item) => {
                let Fields::Named(fields) = &mut item.fields else {
                    continue;
                };
                let schema = contract.schema(&item.ident.to_string())?;
                for field in &mut fields.named {
                    let name = field_name(field);
                    if text_of(&field.attrs).is_empty()
                        && let Some(about) = description_of(contract, schema, &name)
                    {
                        set(&mut field.attrs, about);
                    }
                }
            }
            Item::Enum(item) => {
                for variant in &mut item.variants {
                    if text_of(&variant.attrs).is_empty() {
                        let text = match variant.ident.to_string().as_str() {
                            "Asc" => "Ascending.".to_owned(),
                            "Desc" => "Descending.".to_owned(),
                            other => format!("{other}."),
                        };
                        set(&mut variant.attrs, &text);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Adds the contract's example to each type.
fn show_types(items: &mut [Item], contract: &Contract, samples: &Samples<'_>) -> Result<()> {
    for item in items {
        let (name, attrs) = match item {
            Item::Struct(item) => (item.ident.to_string(), &mut item.attrs),
            Item::Enum(item) => (item.ident.to_string(), &mut item.attrs),
            _ => continue,
        };
        let example = match samples.json(&name) {
            None if name == "SortOrder" => SORT_ORDER.to_owned(),
            None => reading(&name, &samples.invented(contract.schema(&name)?).unwrap_or_default()),
            Some(json) => reading(&name, &json),
        };
        let text = format!("{}\n\n{example}", text_of(attrs).trim());
        set(attrs, &text);
    }
    Ok(())
}

/// Returns an example that parses a type from its JSON.
fn reading(name: &str, json: &str) -> String {
    format!(
        "```\nuse platform_sdk::types::{name};\n\n\
         let read: {name} = serde_json::from_str(\n    r#\"{json}\"#,\n)?;\n\
         # Ok::<(), serde_json::Error>(())\n```"
    )
}

/// An example of a type that is only used as a parameter.
const SORT_ORDER: &str = "```\nuse platform_sdk::types::SortOrder;\n\n\
    assert!(matches!(SortOrder::try_from(\"desc\"), Ok(SortOrder::Desc)));\n```";

/// Documents the builders of request bodies, which progenitor leaves undocumented.
fn document_body_builders(types: &mut [Item], contract: &Contract) -> Result<()> {
    for item in types.iter_mut() {
        if let Item::Impl(block) = item {
            for item in &mut block.items {
                if let ImplItem::Fn(method) = item
                    && method.sig.ident == "builder"
                {
                    set(&mut method.attrs, "Returns a builder.");
                }
            }
        }
    }
    let Ok(builder) = module(types, "builder") else {
        return Ok(());
    };
    for item in builder {
        match item {
            Item::Struct(builder) => {
                let name = &builder.ident;
                let operation = contract.with_body(&name.to_string());
                let setters = operation.map(|operation| setters(&operation.body)).unwrap_or_default();
                let text = format!(
                    "Builder of [`{name}`](super::{name}).\n\n\
                     ```\nuse platform_sdk::types::{name};\n\n\
                     let body: {name} = {name}::builder()\n{setters}    .try_into()?;\n\
                     # Ok::<(), platform_sdk::types::error::ConversionError>(())\n```"
                );
                set(&mut builder.attrs, &text);
            }
            Item::Impl(block) if block.trait_.is_none() => {
                let Some(name) = self_type(block) else {
                    continue;
                };
                let schema = contract.schema(&name.to_string())?;
                for item in &mut block.items {
                    let ImplItem::Fn(method) = item else { continue };
                    let property = method.sig.ident.to_string();
                    let about = description_of(contract, schema, &property);
                    set(&mut method.attrs, about.unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn document_conversion_error(items: &mut [Item], contract: &Contract) {
    let body = contract.operations.iter().find_map(|operation| {
        let (name, _) = operation.body.first_key_value()?;
        Some((operation.body_type.as_ref()?, name))
    });
    let Some((body, property)) = body else { return };
    for item in items {
        if let Item::Struct(error) = item {
            let text = format!(
                "Error of a conversion; `Display` prints one line.\n\n\
                 ```\nuse platform_sdk::types::{body};\n\n\
                 let body = {body}::try_from({body}::builder());\n\
                 assert!(body.is_err_and(|error| error.to_string().contains(\"{property}\")));\n```"
            );
            set(&mut error.attrs, &text);
        }
    }
}

/// Returns the description of the type of the property `name`; `None` without such a property.
fn description_of<'a>(contract: &'a Contract, schema: &'a Value, name: &str) -> Option<&'a str> {
    let reference = contract.property(schema, name)?["$ref"].as_str()?;
    let schema = contract.schema(name_of(reference)).ok()?;
    schema["description"].as_str().map(str::trim)
}

/// Documents the requests and their methods with the descriptions of the parameters in the contract.
fn document_requests(items: &mut [Item], contract: &Contract) {
    for item in items {
        match item {
            Item::Struct(request) => {
                let operation = contract
                    .operations
                    .iter()
                    .find(|operation| request.ident == pascal_case(&operation.id));
                if let Some(operation) = operation {
                    let id = &operation.id;
                    let example = example(operation, ".send()", Style::Async);
                    let text = format!("Request of [`{id}`](crate::Client::{id}).\n\n{example}");
                    set(&mut request.attrs, &text);
                }
            }
            Item::Impl(block) => {
                let name = self_type(block);
                let operation = contract
                    .operations
                    .iter()
                    .find(|operation| name.as_ref().is_some_and(|name| name == &pascal_case(&operation.id)));
                if let Some(operation) = operation {
                    let style = Style::of(block);
                    document_methods(&mut block.items, operation, style);
                }
            }
            _ => {}
        }
    }
}

fn document_methods(items: &mut [ImplItem], operation: &Operation, style: Style) {
    for item in items {
        let ImplItem::Fn(method) = item else { continue };
        let name = method.sig.ident.to_string();
        let parameter = operation.parameters.iter().find(|parameter| parameter.name == name);
        if let Some(parameter) = parameter {
            set(&mut method.attrs, &parameter.description);
        } else if name == "walk" {
            let example = example(operation, ".walk()\n    .collect()", style);
            let walk = match style {
                Style::Async => "crate::paging::Walk",
                Style::Blocking => "crate::blocking::Walk",
            };
            let about = format!("{WALK}: see [`Walk`]({walk}).\n\n{example}");
            set(&mut method.attrs, &about);
        } else if name == "body" {
            let body = body_example(operation, "body", "");
            set(&mut method.attrs, &format!("Sets the body of the request.\n\n{body}"));
        } else if name == "body_map" {
            let body = body_example(operation, "body_map", "|body| body");
            let text = "Changes the body of the request, which is empty at first.";
            set(&mut method.attrs, &format!("{text}\n\n{body}"));
        }
    }
}

/// Returns a call that passes its whole body to `method`. The body starts with `start` or a builder.
fn body_example(operation: &Operation, method: &str, start: &str) -> String {
    let name = operation.body_type.as_deref().unwrap_or_default();
    let fields = operation.body.iter();
    let fields: String = fields
        .map(|(name, value)| format!(".{name}({})", literal(value)))
        .collect();
    let (import, start) = match start {
        "" => (
            format!("use platform_sdk::types::{name};\n\n"),
            format!("{name}::builder()"),
        ),
        start => (String::new(), start.to_owned()),
    };
    let parameters = operation.parameters.iter();
    let parameters = parameters.map(|parameter| (&parameter.name, &parameter.example));
    format!(
        "```no_run\n\
         # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {{\n\
         {import}let answer = client\n    .{}()\n{}    .{method}({start}{fields})\n    .send()\n    .await?;\n\
         # Ok(())\n# }}\n```",
        operation.id,
        setters(parameters)
    )
}

/// Returns the text of all `doc` attributes.
fn text_of(attrs: &[Attribute]) -> String {
    let lines: Vec<String> = attrs.iter().filter_map(doc).collect();
    lines.join("\n")
}

fn doc(attr: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attr.meta else {
        return None;
    };
    match &meta.value {
        Expr::Lit(literal) if meta.path.is_ident("doc") => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Replaces the documentation of an item.
fn set(attrs: &mut Vec<Attribute>, text: &str) {
    attrs.retain(|attr| doc(attr).is_none());
    attrs.insert(0, parse_quote!(#[doc = #text]));
}

/// Formats documentation as `///` lines, with a space before each line.
struct OneLineEach;

impl VisitMut for OneLineEach {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        let mut lines = Vec::new();
        for attr in attrs.drain(..) {
            let Some(text) = doc(&attr) else {
                lines.push(attr);
                continue;
            };
            let text = text.trim_end();
            for line in text.strip_prefix(' ').unwrap_or(text).split('\n') {
                let line = match line.trim_end() {
                    "" => String::new(),
                    line => format!(" {line}"),
                };
                lines.push(parse_quote!(#[doc = #line]));
            }
        }
        *attrs = lines;
    }
}
