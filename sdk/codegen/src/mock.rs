//! Support for the feature `mock`: the parameters of each request, and examples of responses.

use std::collections::BTreeMap;

use platform_contract::Contract as Source;
use serde_json::Value;
use syn::{Expr, Item, ItemStruct, Type, parse_quote};

use crate::contract::{Contract, Operation};
use crate::error::{Error, Result};
use crate::files::Client;
use crate::names::{name_of, pascal_case, snake_case};
use crate::paging::Paged;
use crate::syntax::{constant, field_name, ident, module};

/// Implements the trait that lets a mock expect a request.
pub(crate) fn add_expectations(file: &mut syn::File, contract: &Contract) -> Result<()> {
    let builder = module(&mut file.items, "builder")?;
    let mut expectations: Vec<Item> = Vec::new();
    for operation in &contract.operations {
        let name = pascal_case(&operation.id);
        let request = builder.iter().find_map(|item| match item {
            Item::Struct(request) if request.ident == name => Some(request),
            _ => None,
        });
        let request = request.ok_or_else(|| Error::form(format!("the request `{name}` is missing")))?;
        expectations.push(expectation(contract, operation, request)?);
    }
    builder.extend(expectations);
    Ok(())
}

fn expectation(contract: &Contract, operation: &Operation, request: &ItemStruct) -> Result<Item> {
    let status = operation.success.status;
    let constant = constant(&operation.id)?;
    let answer: Type = match &operation.success.schema {
        Some(schema) => {
            let schema = ident(schema)?;
            parse_quote!(types::#schema)
        }
        None => parse_quote!(()),
    };
    let mut expected: Expr = parse_quote! {
        crate::mock::expected::Expected::new(&operations::#constant, #status)
    };
    for field in request
        .fields
        .iter()
        .filter(|field| !["core", "mode", "state"].contains(&&*field_name(field)))
    {
        let (name, field) = (field_name(field), &field.ident);
        expected = match name.as_str() {
            "body" => {
                let body = operation.body_type.as_deref().unwrap_or_default();
                let properties = contract.schema(body)?["properties"].as_object();
                let properties = properties.into_iter().flatten().map(|(name, _)| ident(name));
                let properties: Vec<_> = properties.collect::<Result<_>>()?;
                let names = properties.iter().map(ToString::to_string);
                parse_quote! {
                    #expected.body(self.body, |body, expected| {
                        expected #(.parameter(#names, body.#properties))*
                    })
                }
            }
            _ => parse_quote!(#expected.parameter(#name, self.#field)),
        };
    }
    // The expectation does not depend on which parameters are missing.
    let states: Vec<_> = request.generics.type_params().map(|state| &state.ident).collect();
    let request = &request.ident;
    Ok(parse_quote! {
        #[cfg(feature = "mock")]
        impl<#(#states),*> crate::mock::expected::Request for #request<#(#states),*> {
            type Answer = #answer;
            fn expected(self) -> crate::mock::expected::Expected {
                #expected
            }
        }
    })
}

/// Generates a function for each example of a response, in a file for each schema: `item_status::ready()`.
pub(crate) fn examples(contract: &Source, pages: &[Paged], client: &mut Client) -> Result<()> {
    let mut schemas: BTreeMap<&str, BTreeMap<&String, &Value>> = BTreeMap::new();
    for operation in contract.operations() {
        for response in &operation.responses {
            let media = contract.get(&format!("{}/content/application~1json", response.pointer));
            let Some(media) = media else { continue };
            let Some(schema) = media["schema"]["$ref"].as_str() else {
                let why = "the schema of the response needs a name, as a component";
                return Err(Error::of_operation(contract, &operation.id, &response.pointer, why));
            };
            let examples = media["examples"].as_object().into_iter().flatten();
            let resolved = examples.map(|(name, example)| (name, contract.resolve(example)));
            schemas.entry(name_of(schema)).or_default().extend(resolved);
        }
    }
    schemas.retain(|_, examples| !examples.is_empty());
    let mut index = "//! The contract's examples of responses, as a start for tests.\n".to_owned();
    for (schema, examples) in schemas {
        let module = snake_case(schema);
        let calls = examples
            .keys()
            .map(|name| format!("///     {module}::{}(),\n", snake_case(name)));
        let calls: String = calls.collect();
        index.push_str(&format!(
            "\n/// Examples of [`{schema}`](crate::types::{schema}).\n///\n/// ```\n\
             /// use platform_sdk::mock::examples::{module};\n///\n/// let all = [\n{calls}/// ];\n/// ```\n\
             pub mod {module};\n"
        ));
        let mut text = format!("use crate::mock::json::example;\nuse crate::types::{schema};\n");
        for (name, example) in &examples {
            let page = pages.iter().find(|page| page.page == schema);
            let is_part = page.is_some_and(|page| {
                let count = example["value"][&page.list].as_array().map(Vec::len);
                count.map(|count| count as u64) != example["value"]["total_count"].as_u64()
            });
            text.push_str(
                &function(schema, name, example, is_part)
                    .map_err(|why| Error::at(contract, "/components/examples", format!("the example {name} {why}")))?,
            );
        }
        let page = pages.iter().find(|page| page.page == schema);
        if let (Some(page), Some(first)) = (page, examples.keys().next()) {
            text.push_str(&page_of(page, &snake_case(first)));
        }
        client.add(format!("examples/{module}.rs"), &text);
    }
    client.add("examples/mod.rs", &index);
    Ok(())
}

fn function(schema: &str, name: &str, example: &Value, is_part: bool) -> std::result::Result<String, &'static str> {
    let summary = example["summary"].as_str().ok_or("has no summary")?;
    let json = serde_json::to_string_pretty(&example["value"]).unwrap_or_default();
    if json.contains("\"#") {
        return Err("contains `\"#`, which would end its literal in Rust");
    }
    let name = snake_case(name);
    let part = match is_part {
        true => {
            "///\n/// Its `total_count` is not the number of its items. Walks need a page where these agree: \
                 use [`of`].\n"
        }
        false => "",
    };
    Ok(format!(
        "\n/// {summary}.\n{part}pub fn {name}() -> {schema} {{\n    example(r#\"{json}\"#)\n}}\n"
    ))
}

/// Generates a function that returns a page with the given items.
fn page_of(page: &Paged, example: &str) -> String {
    let Paged {
        page: schema,
        list,
        item,
        ..
    } = page;
    let module = snake_case(schema);
    format!(
        "\n/// Returns a page with these items only. Its `total_count` is their number.\n///\n\
         /// ```\n/// let page = platform_sdk::mock::examples::{module}::of([]);\n\
         /// assert_eq!(page.total_count, 0);\n/// ```\n\
         pub fn of(items: impl IntoIterator<Item = crate::types::{item}>) -> {schema} {{\n    \
         let mut page = {example}();\n    page.{list} = items.into_iter().collect();\n    \
         page.total_count = page.{list}.len() as i64;\n    page\n}}\n"
    )
}
