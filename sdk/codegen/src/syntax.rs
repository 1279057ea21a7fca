//! Helpers for reading the code that progenitor writes.

use syn::{Field, Ident, Item, ItemImpl, ItemMod, Type};

use crate::contract::Contract;
use crate::error::{Error, Result};

/// Returns the content of the module `name` among `items`.
pub(crate) fn module<'a>(items: &'a mut [Item], name: &str) -> Result<&'a mut Vec<Item>> {
    let content = items.iter_mut().find_map(|item| match item {
        Item::Mod(ItemMod {
            ident,
            content: Some((_, items)),
            ..
        }) if ident == name => Some(items),
        _ => None,
    });
    content.ok_or_else(|| Error::form(format!("the module `{name}` is missing")))
}

/// Returns `T` of `Option<T>`.
pub(crate) fn option_of(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

pub(crate) fn is_body(contract: &Contract, name: &Ident) -> bool {
    contract
        .operations
        .iter()
        .any(|operation| operation.body_type.as_ref().is_some_and(|body| name == body))
}

/// Returns the last segment of the self type of an `impl` block.
pub(crate) fn self_type(block: &ItemImpl) -> Option<Ident> {
    match &*block.self_ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
        _ => None,
    }
}

/// Returns `LIST_ITEMS` for `list_items`.
pub(crate) fn constant(operation_id: &str) -> Result<Ident> {
    ident(&operation_id.to_uppercase())
}

/// Converts a name to a Rust identifier.
pub(crate) fn ident(name: &str) -> Result<Ident> {
    syn::parse_str(name).map_err(|_| Error::form(format!("`{name}` is not a name in Rust")))
}

/// Returns the name of a named field.
pub(crate) fn field_name(field: &Field) -> String {
    field.ident.as_ref().map(ToString::to_string).unwrap_or_default()
}
