//! Changes to the client itself, the response types and the table of operations.

use syn::visit_mut::VisitMut;
use syn::{Field, Fields, Ident, ImplItem, Item, Meta, Type, parse_quote};

use crate::contract::{Contract, Operation};
use crate::error::Result;
use crate::syntax::{constant, is_body, module, option_of};

pub(crate) fn rework(file: &mut syn::File, contract: &Contract) -> Result<()> {
    drop_hooks(file);
    hide_constructors(file);
    open_answers(file, contract)?;
    Times.visit_file_mut(file);
    for item in module(&mut file.items, "types")? {
        if let Item::Struct(answer) = item
            && matches!(answer.fields, Fields::Named(_))
        {
            WholeNumbers.visit_item_struct_mut(answer);
        }
    }
    file.items.push(operations(contract)?);
    Ok(())
}

/// Removes the hooks between the generated lines. The lines only build a request, and `crate::call` sends it.
fn drop_hooks(file: &mut syn::File) {
    file.items.retain(|item| match item {
        Item::Mod(module) => module.ident != "prelude",
        Item::Const(_) => false,
        Item::Impl(block) => block.trait_.is_none(),
        _ => true,
    });
}

/// Leaves one way to create a client, `Client::builder()`, and one to create a request, a method of the
/// client. The client's `Debug` is hand-written, because it must not depend on the fields.
fn hide_constructors(file: &mut syn::File) {
    for item in &mut file.items {
        match item {
            Item::Struct(client) if client.ident == "Client" => {
                *client = parse_quote! {
                    #[derive(Clone)]
                    pub struct Client {
                        pub(crate) core: crate::call::core::ClientCore,
                    }
                };
            }
            Item::Impl(block) => block
                .items
                .retain(|item| !matches!(item, ImplItem::Fn(function) if is_constructor(&function.sig.ident))),
            _ => {}
        }
    }
    file.items
        .retain(|item| !matches!(item, Item::Impl(block) if block.items.is_empty()));
}

fn is_constructor(name: &Ident) -> bool {
    name == "new" || name == "new_with_client"
}

/// Accepts whole numbers written as floats, such as `64.0`.
struct WholeNumbers;

impl VisitMut for WholeNumbers {
    fn visit_field_mut(&mut self, field: &mut Field) {
        let is_read = field.attrs.iter().any(|attr| attr.path().is_ident("serde"));
        if is_integer(&field.ty) {
            field
                .attrs
                .push(parse_quote!(#[serde(deserialize_with = "crate::types::whole::read")]));
        } else if is_read && option_of(&field.ty).is_some_and(is_integer) {
            field
                .attrs
                .push(parse_quote!(#[serde(deserialize_with = "crate::types::whole::read_optional")]));
        }
    }
}

fn is_integer(of: &Type) -> bool {
    matches!(of, Type::Path(path) if path.path.is_ident("i32") || path.path.is_ident("i64"))
}

/// Accepts times without an offset: the source of the contract only requires ISO 8601.
struct Times;

impl VisitMut for Times {
    fn visit_field_mut(&mut self, field: &mut Field) {
        if is_optional_time(&field.ty) && field.attrs.iter().any(|attr| attr.path().is_ident("serde")) {
            field
                .attrs
                .push(parse_quote!(#[serde(deserialize_with = "crate::types::time::read")]));
        }
    }
}

/// Whether a type is `Option<DateTime<…>>`.
fn is_optional_time(of: &Type) -> bool {
    match option_of(of) {
        Some(Type::Path(path)) => path.path.segments.last().is_some_and(|last| last.ident == "DateTime"),
        _ => false,
    }
}

/// Prepares response types for growth. They are non-exhaustive, because properties may be added. A nullable
/// property may be missing, because both mean "unknown".
fn open_answers(file: &mut syn::File, contract: &Contract) -> Result<()> {
    for item in module(&mut file.items, "types")? {
        let Item::Struct(answer) = item else { continue };
        if !matches!(answer.fields, Fields::Named(_)) {
            continue;
        }
        answer.attrs.push(parse_quote!(#[non_exhaustive]));
        if is_body(contract, &answer.ident) {
            continue;
        }
        answer.fields.iter_mut().for_each(default_to_null);
    }
    Ok(())
}

fn default_to_null(field: &mut Field) {
    for attr in &mut field.attrs {
        let strict = matches!(&attr.meta, Meta::List(list)
            if list.path.is_ident("serde") && list.tokens.to_string().starts_with("deserialize_with"));
        if strict {
            *attr = parse_quote!(#[serde(default)]);
        }
    }
}

/// Generates the table of operations from the contract.
fn operations(contract: &Contract) -> Result<Item> {
    let constants: Vec<Ident> = contract
        .operations
        .iter()
        .map(|operation| constant(&operation.id))
        .collect::<Result<_>>()?;
    let policies = contract.operations.iter().zip(&constants).map(|(operation, constant)| {
        let Operation {
            id,
            method,
            path,
            is_idempotent,
            retryable_statuses,
            timeout_seconds,
            success,
            ..
        } = operation;
        let has_content = success.schema.is_some();
        let item: Item = parse_quote! {
            pub(crate) static #constant: Operation = Operation {
                id: #id,
                method: #method,
                path: #path,
                is_idempotent: #is_idempotent,
                retryable_statuses: &[#(#retryable_statuses),*],
                timeout: ::std::time::Duration::from_secs(#timeout_seconds),
                has_content: #has_content,
            };
        };
        item
    });
    let parameters = contract.operations.iter().flat_map(|operation| &operation.parameters);
    let texts = parameters.filter(|parameter| parameter.is_free_text);
    let texts: std::collections::BTreeSet<&str> = texts.map(|parameter| &*parameter.name).collect();
    Ok(parse_quote! {
        /// How each operation is called, by the extensions of the contract.
        pub(crate) mod operations {
            use crate::call::operation::Operation;
            #(#policies)*
            /// The parameters that hold a text which the user wrote.
            pub(crate) static FREE_TEXTS: &[&str] = &[#(#texts),*];
            #[cfg(test)]
            pub(crate) static ALL: &[&Operation] = &[#(&#constants),*];
        }
    })
}
