//! What the mocks of the feature `mock` know of the contract: the parameters of each request, and examples.

use std::collections::BTreeMap;

use platform_contract::Contract as Source;
use serde_json::Value;
use syn::{Expr, Item, ItemStruct, Type, parse_quote};

use crate::code::{constant, field_name, ident, module};
use crate::contract::{Contract, Operation, name_of};
use crate::docs::pascal_case;
use crate::error::{Error, Result};

/// Lets each request be what a mock expects.
pub(crate) fn add_expectations(file: &mut syn::File, contract: &Contract) -> Result<()> {
    let builder = module(&mut file.items, "builder")?;
    let mut expectations: Vec<Item> = Vec::new();
    for operation in &contract.operations {
        let name = pascal_case(&operation.id);
        let request = builder.iter().find_map(|item| match item {
            Item::Struct(request) if request.ident == name => Some(request),
            _ => None,
        });
        let request =
            request.ok_or_else(|| Error::form(format!("there is no request `{name}`")))?;
        expectations.push(expectation(operation, request)?);
    }
    builder.extend(expectations);
    Ok(())
}

fn expectation(operation: &Operation, request: &ItemStruct) -> Result<Item> {
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
        crate::mock::Expected::new(&super::operations::#constant, #status)
    };
    for field in request
        .fields
        .iter()
        .filter(|field| field_name(field) != "client")
    {
        let (name, field) = (field_name(field), &field.ident);
        expected = match &operation.body_type {
            Some(body) if name == "body" => {
                let body = ident(body)?;
                parse_quote! {
                    #expected.body(self.body.and_then(|body| {
                        types::#body::try_from(body).map_err(|error| error.to_string())
                    }))
                }
            }
            _ => parse_quote!(#expected.parameter(#name, self.#field)),
        };
    }
    let request = &request.ident;
    Ok(parse_quote! {
        #[cfg(feature = "mock")]
        impl crate::mock::Request for #request {
            type Answer = #answer;
            fn expected(self) -> crate::mock::Expected {
                #expected
            }
        }
    })
}

/// A function for each example of an answer, in a module for each schema: `item_status::ready()`.
pub(crate) fn examples(contract: &Source) -> Result<String> {
    let mut schemas: BTreeMap<&str, BTreeMap<&String, &Value>> = BTreeMap::new();
    for operation in contract.operations() {
        for response in &operation.responses {
            let media = contract.get(&format!("{}/content/application~1json", response.pointer));
            let Some(media) = media else { continue };
            let Some(schema) = media["schema"]["$ref"].as_str() else {
                let why = "the schema of the response needs a name, as a component";
                return Err(Error::of_operation(
                    contract,
                    &operation.id,
                    &response.pointer,
                    why,
                ));
            };
            let examples = media["examples"].as_object().into_iter().flatten();
            let resolved = examples.map(|(name, example)| (name, contract.resolve(example)));
            schemas.entry(name_of(schema)).or_default().extend(resolved);
        }
    }
    schemas.retain(|_, examples| !examples.is_empty());
    let mut text = "//! The contract's examples of answers, for a test to begin with.\n\n\
        use super::example;\n"
        .to_owned();
    for (schema, examples) in schemas {
        let module = snake_case(schema);
        text.push_str(&format!(
            "\n/// Examples of [`{schema}`](crate::types::{schema}).\n///\n/// ```\n\
             /// use platform_sdk::mock::examples::{module};\n///\n/// let all = [\n"
        ));
        for name in examples.keys() {
            text.push_str(&format!("///     {module}::{}(),\n", snake_case(name)));
        }
        text.push_str("/// ];\n/// ```\n");
        text.push_str(&format!(
            "pub mod {module} {{\n    use crate::types::{schema};\n"
        ));
        for (name, example) in examples {
            let fault = |why: String| Error::at(contract, "/components/examples", why);
            let summary = example["summary"].as_str();
            let summary =
                summary.ok_or_else(|| fault(format!("the example {name} has no summary")))?;
            let json = serde_json::to_string_pretty(&example["value"]).unwrap_or_default();
            if json.contains("\"#") {
                return Err(fault(format!(
                    "the example {name} contains `\"#`, which would end its literal in Rust"
                )));
            }
            let name = snake_case(name);
            text.push_str(&format!(
                "\n    /// {summary}.\n    pub fn {name}() -> {schema} {{\n        \
                 super::example(r#\"{json}\"#)\n    }}\n"
            ));
        }
        text.push_str("}\n");
    }
    Ok(text)
}

/// `item_page` for `ItemPage`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
