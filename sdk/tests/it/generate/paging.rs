//! Walks over the operations that answer in pages: those with `skip` and `limit`.

use platform_contract::{Contract, Operation};
use serde_json::{Value, json};
use syn::{Expr, Ident, Item, parse_quote};

use super::code::{module, self_type};
use super::docs::pascal_case;
use super::document::name_of;

/// An operation that answers in pages.
pub(super) struct Paged {
    id: String,
    /// The largest `limit`.
    max_limit: u64,
    /// The most that `skip + limit` may be.
    reach: Option<u64>,
    /// The property of the answer that holds the items, and the schema of an item.
    list: String,
    item: String,
}

impl Paged {
    /// Reads all of them from a document.
    ///
    /// # Panics
    /// A `limit` has no maximum; a rule on `skip` or `limit` is not of the form `skip + limit <= 1000`; or
    /// the answer is not an object with `total_count` and one list.
    pub(super) fn read(contract: &Contract) -> Vec<Self> {
        let operations = contract.operations().iter();
        operations
            .filter_map(|operation| Self::of(contract, operation))
            .collect()
    }

    fn of(contract: &Contract, operation: &Operation) -> Option<Self> {
        let id = &operation.id;
        let parameter = |name: &str| {
            let mut all = operation.parameters.iter();
            all.find(|parameter| parameter.name == name)
        };
        let (skip, limit) = (parameter("skip")?, parameter("limit")?);
        let (list, item) = list(contract, operation)
            .unwrap_or_else(|| panic!("{id} has pages, but not an answer with one list"));
        let rules = [skip, limit].map(|parameter| contract.get(&parameter.pointer).unwrap());
        Some(Self {
            max_limit: limit.schema["maximum"]
                .as_u64()
                .unwrap_or_else(|| panic!("the limit of {id} has no maximum")),
            reach: reach(id, &rules),
            id: id.clone(),
            list,
            item,
        })
    }
}

/// The most that `skip + limit` may be, by the rules of the parameters.
fn reach(id: &str, parameters: &[&Value]) -> Option<u64> {
    let rules = parameters
        .iter()
        .filter_map(|parameter| parameter["x-constraints"].as_array())
        .flatten()
        .map(|constraint| constraint["rule"].as_str().unwrap());
    let bounds = rules.map(|rule| {
        let bound = rule.strip_prefix("skip + limit <= ");
        let bound = bound.and_then(|bound| bound.parse().ok());
        bound.unwrap_or_else(|| panic!("{id}: no walk knows how to keep to the rule `{rule}`"))
    });
    bounds.min()
}

/// The list in the answer of an operation: its property, and the schema of its items.
fn list(contract: &Contract, operation: &Operation) -> Option<(String, String)> {
    let answer = &operation.response(200)?.content;
    let (_, page) = answer.iter().find(|(name, _)| name == "application/json")?;
    let properties = contract.resolve(page)["properties"].as_object()?;
    properties.get("total_count")?;
    let mut lists = properties
        .iter()
        .filter(|(_, property)| property["type"] == "array");
    let (name, list) = lists.next()?;
    let item = list["items"]["$ref"].as_str()?;
    lists
        .next()
        .is_none()
        .then(|| (name.clone(), name_of(item).to_owned()))
}

/// Gives each of these requests its `walk`, and what a walk needs to know of it.
pub(super) fn add_walks(file: &mut syn::File, operations: &[Paged]) {
    let builder = module(&mut file.items, "builder");
    for operation in operations {
        let request = ident(&pascal_case(&operation.id));
        let item = ident(&operation.item);
        let methods = builder.iter_mut().find_map(|part| match part {
            Item::Impl(block) if self_type(block).as_ref() == Some(&request) => Some(block),
            _ => None,
        });
        let methods = methods.unwrap_or_else(|| panic!("progenitor writes no `{request}`"));
        methods.items.push(parse_quote! {
            pub fn walk(self) -> crate::paging::Walk<types::#item> {
                crate::paging::Walk::over(self)
            }
        });
        builder.push(paged(operation, &request, &item));
    }
}

fn paged(operation: &Paged, request: &Ident, item: &Ident) -> Item {
    let Paged { id, max_limit, .. } = operation;
    let list = ident(&operation.list);
    let reach: Expr = match operation.reach {
        Some(reach) => parse_quote!(Some(#reach)),
        None => parse_quote!(None),
    };
    parse_quote! {
        impl crate::paging::Paged for #request {
            type Item = types::#item;
            const OPERATION: &'static str = #id;
            const MAX_LIMIT: u64 = #max_limit;
            const REACH: Option<u64> = #reach;
            fn client(&mut self) -> &mut super::Client {
                &mut self.client
            }
            fn write_down(self) -> Result<::reqwest::Request, crate::Error> {
                self.request().map_err(crate::call::unsendable)
            }
            fn start(&self) -> Option<i64> {
                self.skip.as_ref().ok().copied().flatten().map(i64::from)
            }
            fn most(&self) -> Option<i64> {
                self.limit.as_ref().ok().copied().flatten().map(i64::from)
            }
            async fn fetch(
                self,
                skip: u64,
                limit: u64,
            ) -> Result<(Vec<Self::Item>, i64), crate::Error> {
                let page = self.skip(skip).limit(limit).send().await?.into_inner();
                Ok((page.#list, page.total_count))
            }
        }
    }
}

fn ident(name: &str) -> Ident {
    syn::parse_str(name).unwrap()
}

#[test]
fn reach_is_read_from_the_rule_of_a_parameter() {
    let free = json!({"name": "skip"});
    let bound = json!({"name": "limit", "x-constraints": [{"rule": "skip + limit <= 1000"}]});
    assert_eq!(reach("search", &[&free, &bound]), Some(1000));
    assert_eq!(reach("list", &[&free, &free]), None);
}

#[test]
#[should_panic(expected = "search: no walk knows how to keep to the rule `limit <= skip`")]
fn rule_that_no_walk_knows_stops_the_generator() {
    let bound = json!({"name": "limit", "x-constraints": [{"rule": "limit <= skip"}]});
    reach("search", &[&bound]);
}
