//! What the mocks of the feature `mock` know of the contract: the parameters of each request, and examples.

use std::collections::BTreeMap;
use std::fmt::Write;

use platform_contract::{Contract, Operation};
use serde_json::Value;
use syn::{Expr, Ident, Item, ItemStruct, parse_quote};

use super::code::{constant, module};
use super::docs::pascal_case;
use super::document::name_of;

/// How an operation succeeds.
pub(super) struct Success {
    id: String,
    status: u16,
    /// The schema of the answer.
    answer: String,
    /// The schema of the request's body.
    body: Option<String>,
}

impl Success {
    /// Reads those of all operations.
    pub(super) fn read(contract: &Contract) -> Vec<Self> {
        let operations = contract.operations().iter();
        operations
            .map(|operation| {
                let (status, answer) = answers(contract, operation)
                    .find(|(status, _)| status.starts_with('2'))
                    .expect("an operation can succeed");
                let node = contract.get(&operation.pointer).unwrap();
                let body = &node["requestBody"]["content"]["application/json"]["schema"];
                Self {
                    id: operation.id.clone(),
                    status: status.parse().unwrap(),
                    answer: schema(answer).to_owned(),
                    body: body["$ref"].as_str().map(name_of).map(str::to_owned),
                }
            })
            .collect()
    }
}

/// The answers of an operation, each as JSON, by status.
fn answers<'a>(
    contract: &'a Contract,
    operation: &'a Operation,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let node = contract.get(&operation.pointer).unwrap();
    let responses = node["responses"].as_object().unwrap().iter();
    responses.map(|(status, response)| {
        let response = contract.resolve(response);
        (status, &response["content"]["application/json"])
    })
}

fn schema(media: &Value) -> &str {
    name_of(
        media["schema"]["$ref"]
            .as_str()
            .expect("an answer has a schema with a name"),
    )
}

/// Lets each request be what a mock expects.
pub(super) fn add_expectations(file: &mut syn::File, successes: &[Success]) {
    let builder = module(&mut file.items, "builder");
    let expectations: Vec<Item> = successes
        .iter()
        .map(|success| {
            let name = pascal_case(&success.id);
            let request = builder.iter().find_map(|item| match item {
                Item::Struct(request) if request.ident == name => Some(request),
                _ => None,
            });
            expectation(success, request.expect("progenitor writes each request"))
        })
        .collect();
    builder.extend(expectations);
}

fn expectation(success: &Success, request: &ItemStruct) -> Item {
    let Success { status, .. } = success;
    let operation = constant(&success.id);
    let answer: Ident = syn::parse_str(&success.answer).unwrap();
    let mut expected: Expr = parse_quote! {
        crate::mock::Expected::new(&super::operations::#operation, #status)
    };
    let fields = request
        .fields
        .iter()
        .map(|field| field.ident.as_ref().unwrap());
    for field in fields.filter(|field| *field != "client") {
        expected = match &success.body {
            Some(body) if field == "body" => {
                let body: Ident = syn::parse_str(body).unwrap();
                parse_quote! {
                    #expected.body(self.body.and_then(|body| {
                        types::#body::try_from(body).map_err(|error| error.to_string())
                    }))
                }
            }
            _ => {
                let name = field.to_string();
                parse_quote!(#expected.parameter(#name, self.#field))
            }
        };
    }
    let request = &request.ident;
    parse_quote! {
        #[cfg(feature = "mock")]
        impl crate::mock::Request for #request {
            type Answer = types::#answer;
            fn expected(self) -> crate::mock::Expected {
                #expected
            }
        }
    }
}

/// A function for each example of an answer, in a module for each schema: `item_status::ready()`.
pub(super) fn examples(contract: &Contract) -> String {
    let mut schemas: BTreeMap<&str, BTreeMap<&String, &Value>> = BTreeMap::new();
    for operation in contract.operations() {
        for (_, media) in answers(contract, operation) {
            let examples = media["examples"]
                .as_object()
                .expect("an answer has examples");
            let resolved = examples
                .iter()
                .map(|(name, example)| (name, contract.resolve(example)));
            schemas.entry(schema(media)).or_default().extend(resolved);
        }
    }
    let mut text = "//! The contract's examples of answers, for a test to begin with.\n\n\
        use super::example;\n"
        .to_owned();
    for (schema, examples) in schemas {
        let module = snake_case(schema);
        write!(
            text,
            "\n/// Examples of [`{schema}`](crate::types::{schema}).\n///\n/// ```\n\
             /// use platform_sdk::mock::examples::{module};\n///\n/// let all = [\n"
        )
        .unwrap();
        for name in examples.keys() {
            writeln!(text, "///     {module}::{}(),", snake_case(name)).unwrap();
        }
        text.push_str("/// ];\n/// ```\n");
        write!(
            text,
            "pub mod {module} {{\n    use crate::types::{schema};\n"
        )
        .unwrap();
        for (name, example) in examples {
            let (name, summary) = (snake_case(name), example["summary"].as_str().unwrap());
            let json = serde_json::to_string_pretty(&example["value"]).unwrap();
            assert!(
                !json.contains("\"#"),
                "the example {name} would end its literal"
            );
            write!(
                text,
                "\n    /// {summary}.\n    pub fn {name}() -> {schema} {{\n        \
                 super::example(r#\"{json}\"#)\n    }}\n"
            )
            .unwrap();
        }
        text.push_str("}\n");
    }
    text
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
