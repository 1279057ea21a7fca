//! Walks for the paged operations: those with `skip` and `limit`.

use std::collections::BTreeMap;

use platform_contract::{Contract, Operation, Parameter};
use serde_json::Value;
use syn::{Expr, ImplItem, Item, parse_quote};

use crate::error::{Error, Result};
use crate::names::name_of;
use crate::names::pascal_case;
use crate::syntax::{constant, ident, module, self_type};

/// A paged operation.
pub(crate) struct Paged {
    id: String,
    /// The maximum of `limit`.
    max_limit: u64,
    /// The maximum of `skip + limit`.
    reach: Option<u64>,
    /// The response property that contains the items, and the schema of an item.
    pub(crate) list: String,
    pub(crate) item: String,
    /// The schema of the response, and the property that identifies an item.
    pub(crate) page: String,
    item_id: String,
}

impl Paged {
    /// Reads all paged operations of a document.
    ///
    /// # Errors
    /// A `limit` has no maximum; a rule on `skip` or `limit` is not of the form `skip + limit <= 1000`; or
    /// the response is not an object with `total_count` and one list.
    pub(crate) fn read(contract: &Contract) -> Result<Vec<Self>> {
        let operations = contract.operations().iter();
        operations
            .filter_map(|operation| Self::of(contract, operation).transpose())
            .collect()
    }

    fn of(contract: &Contract, operation: &Operation) -> Result<Option<Self>> {
        let id = &operation.id;
        let parameter = |name: &str| {
            let mut all = operation.parameters.iter();
            all.find(|parameter| parameter.name == name)
        };
        let (Some(skip), Some(limit)) = (parameter("skip"), parameter("limit")) else {
            return Ok(None);
        };
        let fault = |pointer: &str, why: &str| Error::of_operation(contract, id, pointer, why);
        let (list, item) = list(contract, operation).ok_or_else(|| {
            let why = "has `skip` and `limit`, so its response must be an object with `total_count` and one list";
            fault(&operation.pointer, why)
        })?;
        Ok(Some(Self {
            max_limit: limit.schema["maximum"]
                .as_u64()
                .ok_or_else(|| fault(&limit.pointer, "`limit` has no maximum"))?,
            reach: reach(&[skip, limit]).map_err(|(parameter, why)| fault(&parameter.pointer, &why))?,
            page: operation
                .response(200)
                .and_then(|response| response.content.iter().find_map(|(_, schema)| schema["$ref"].as_str()))
                .map(name_of)
                .unwrap_or_default()
                .to_owned(),
            item_id: item_id(contract, &item).ok_or_else(|| {
                let why = format!("items of a page need an id: a required property of {item} whose name ends in `_id`");
                fault(&operation.pointer, &why)
            })?,
            id: id.clone(),
            list,
            item,
        }))
    }
}

/// Returns the maximum of `skip + limit` from the rules of the parameters.
fn reach<'a>(parameters: &[&'a Parameter]) -> std::result::Result<Option<u64>, (&'a Parameter, String)> {
    let mut reach: Option<u64> = None;
    for parameter in parameters {
        for rule in &parameter.constraints {
            let bound = rule.strip_prefix("skip + limit <= ");
            let bound: u64 = bound
                .and_then(|bound| bound.parse().ok())
                .ok_or_else(|| (*parameter, format!("walks do not support the rule `{rule}`")))?;
            reach = Some(reach.map_or(bound, |reach| reach.min(bound)));
        }
    }
    Ok(reach)
}

/// Returns the list in the response of an operation: its property and the schema of its items.
fn list(contract: &Contract, operation: &Operation) -> Option<(String, String)> {
    let answer = &operation.response(200)?.content;
    let (_, page) = answer.iter().find(|(name, _)| name == "application/json")?;
    let properties = contract.resolve(page)["properties"].as_object()?;
    properties.get("total_count")?;
    let mut lists = properties.iter().filter(|(_, property)| property["type"] == "array");
    let (name, list) = lists.next()?;
    let item = list["items"]["$ref"].as_str()?;
    lists.next().is_none().then(|| (name.clone(), name_of(item).to_owned()))
}

/// Returns the property that identifies an item: `pipeline_item_id` of a `PipelineItem`, `product_id` of a
/// `ProductSearchResult`. It is the required id whose name starts the name of the schema; the longest wins.
fn item_id(contract: &Contract, item: &str) -> Option<String> {
    let schema = contract.get(&format!("/components/schemas/{item}"))?;
    let mut required = Vec::new();
    collect_required(contract, schema, &mut required);
    let is_own = |name: &&str| {
        name.strip_suffix("_id")
            .is_some_and(|kind| item.starts_with(&pascal_case(kind)))
    };
    let ids = required.into_iter().filter(is_own);
    ids.max_by_key(|name| name.len()).map(str::to_owned)
}

fn collect_required<'a>(contract: &'a Contract, schema: &'a Value, found: &mut Vec<&'a str>) {
    let schema = contract.resolve(schema);
    let required = schema["required"].as_array().into_iter().flatten();
    found.extend(required.filter_map(Value::as_str));
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect_required(contract, part, found);
    }
}

/// Adds a `walk` to each of these requests, and the information that a walk needs.
pub(crate) fn add_walks(file: &mut syn::File, operations: &[Paged]) -> Result<()> {
    let builder = module(&mut file.items, "builder")?;
    for operation in operations {
        let request = ident(&pascal_case(&operation.id))?;
        let item = ident(&operation.item)?;
        let mut blocks = 0;
        for part in builder.iter_mut() {
            let Item::Impl(block) = part else { continue };
            if self_type(block).as_ref() != Some(&request) {
                continue;
            }
            // `walk` is in the same block as `send`.
            let sent = block.items.iter().find_map(|item| match item {
                ImplItem::Fn(method) if method.sig.ident == "send" => Some(method),
                _ => None,
            });
            let Some(send) = sent else { continue };
            blocks += 1;
            let given = &send.sig.generics.where_clause;
            let walk: ImplItem = match send.sig.asyncness {
                Some(_) => parse_quote! {
                    pub fn walk(self) -> crate::paging::walk::Walk<types::#item> #given {
                        let request: #request = self.turned(|_| Async);
                        crate::paging::walk::Walk::over(request)
                    }
                },
                None => parse_quote! {
                    pub fn walk(self) -> crate::blocking::Walk<types::#item> #given {
                        let mode = self.mode.clone();
                        let request: #request = self.turned(|_| Async);
                        crate::blocking::Walk::new(request.walk(), mode)
                    }
                },
            };
            block.items.push(walk);
        }
        if blocks != 2 {
            return Err(Error::form(format!("the request `{request}` is not sent in two ways")));
        }
        builder.push(paged(operation, &request, &item)?);
    }
    let pages: BTreeMap<&str, &Paged> = operations.iter().map(|paged| (&*paged.page, paged)).collect();
    let types = module(&mut file.items, "types")?;
    for (
        page,
        Paged {
            list, item, item_id, ..
        },
    ) in pages
    {
        let (page, item, field) = (ident(page)?, ident(item)?, ident(list)?);
        types.push(parse_quote! {
            impl crate::paging::rows::PageBody for #page {
                type Item = #item;
                const LIST: &'static str = #list;
                const ID: &'static str = #item_id;
                fn into_items(self) -> (Vec<Self::Item>, i64) {
                    (self.#field, self.total_count)
                }
            }
        });
    }
    Ok(())
}

fn paged(operation: &Paged, request: &syn::Ident, item: &syn::Ident) -> Result<Item> {
    let Paged { id, max_limit, .. } = operation;
    let page = ident(&operation.page)?;
    let constant = constant(id)?;
    let reach: Expr = match operation.reach {
        Some(reach) => parse_quote!(Some(#reach)),
        None => parse_quote!(None),
    };
    Ok(parse_quote! {
        impl crate::paging::source::Paged for #request {
            type Item = types::#item;
            const OPERATION: &'static str = #id;
            const MAX_LIMIT: u64 = #max_limit;
            const REACH: Option<u64> = #reach;
            fn core(&mut self) -> &mut crate::call::core::ClientCore {
                &mut self.core
            }
            fn write_down(self) -> Result<::reqwest::Request, crate::error::Error> {
                self.request()
            }
            fn start(&self) -> Option<i64> {
                self.skip.given().copied().map(i64::from)
            }
            fn most(&self) -> Option<i64> {
                self.limit.given().copied().map(i64::from)
            }
            async fn fetch(
                self,
                skip: u64,
                limit: u64,
            ) -> Result<crate::paging::rows::Fetched<Self::Item>, crate::error::Error> {
                let request = self.skip(skip).limit(limit);
                let core = request.core.clone();
                let request = Box::new(move || request.request());
                crate::paging::rows::fetch::<types::#page>(core, &operations::#constant, request, skip).await
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use platform_contract::Parameter;
    use serde_json::Value;

    use super::reach;

    fn parameter(constraints: &[&str]) -> Parameter {
        Parameter {
            name: "limit".to_owned(),
            location: "query".to_owned(),
            pointer: "/parameters/0".to_owned(),
            required: false,
            constraints: constraints.iter().map(ToString::to_string).collect(),
            schema: Value::Null,
        }
    }

    #[test]
    fn reach_is_read_from_the_rule_of_a_parameter() {
        let free = parameter(&[]);
        let bound = parameter(&["skip + limit <= 1000"]);
        assert!(matches!(reach(&[&free, &bound]), Ok(Some(1000))));
        assert!(matches!(reach(&[&free, &free]), Ok(None)));
    }

    #[test]
    fn unknown_rule_is_an_error() {
        let bound = parameter(&["limit <= skip"]);
        let why = reach(&[&bound]).map_err(|(_, why)| why);
        let expected = "walks do not support the rule `limit <= skip`";
        assert_eq!(why, Err(expected.to_owned()));
    }
}
