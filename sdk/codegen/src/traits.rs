//! Trait implementations of response types beyond those that progenitor derives: `Eq` and `Hash` for types
//! without floats, and the conversion of a type into the type that it extends. The errors of `FromStr` name the
//! known values.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprLit, ExprMatch, Fields, Item, ItemStruct, Lit, Pat, parse_quote};

use crate::contract::Contract;
use crate::error::Result;
use crate::names::name_of;
use crate::syntax::{field_name, ident, module};

/// Derives `Eq` and `Hash`, and adds the conversions. Requires the fields for unknown fields to exist.
pub(crate) fn add(file: &mut syn::File, contract: &Contract) -> Result<()> {
    let types = module(&mut file.items, "types")?;
    let inexact = inexact(types);
    for item in types.iter_mut() {
        let (name, attrs) = match item {
            Item::Struct(item) => (&item.ident, &mut item.attrs),
            Item::Enum(item) => (&item.ident, &mut item.attrs),
            _ => continue,
        };
        let has_both = attrs
            .iter()
            .any(|attr| attr.to_token_stream().to_string().contains("Hash"));
        if !has_both && !inexact.contains(&name.to_string()) {
            attrs.push(parse_quote!(#[derive(Eq, Hash)]));
        }
    }
    let structs = types.iter().filter_map(|item| match item {
        Item::Struct(item) => Some(item),
        _ => None,
    });
    let structs: Vec<&ItemStruct> = structs.collect();
    let mut conversions = Vec::new();
    for extended in &structs {
        let schema = contract.schema(&extended.ident.to_string())?;
        let parts = schema["allOf"].as_array().into_iter().flatten();
        for part in parts.filter_map(|part| part["$ref"].as_str()) {
            let base = ident(name_of(part))?;
            if let Some(base) = structs.iter().find(|item| item.ident == base) {
                conversions.push(conversion(extended, base));
            }
        }
    }
    types.extend(conversions);
    types.iter_mut().for_each(|item| NamesValues.visit_item_mut(item));
    Ok(())
}

/// Names the values of an enum where it is parsed from text: progenitor's error is `invalid value`.
struct NamesValues;

impl VisitMut for NamesValues {
    fn visit_expr_match_mut(&mut self, parse: &mut ExprMatch) {
        let known = parse.arms.iter().filter_map(|arm| match &arm.pat {
            Pat::Lit(ExprLit {
                lit: Lit::Str(text), ..
            }) => Some(format!("`{}`", text.value())),
            _ => None,
        });
        let message = format!("expected {}", known.collect::<Vec<_>>().join(" or "));
        let invalid: Expr = parse_quote!(Err("invalid value".into()));
        let invalid = invalid.to_token_stream().to_string();
        let mut arms = parse.arms.iter_mut();
        if let Some(unknown) = arms.find(|arm| arm.body.to_token_stream().to_string() == invalid) {
            *unknown.body = parse_quote!(Err(#message.into()));
        }
        visit_mut::visit_expr_match_mut(self, parse);
    }
}

/// Returns the types that contain a float.
fn inexact(types: &[Item]) -> BTreeSet<String> {
    let mut inexact: BTreeSet<String> = ["f32", "f64"].map(str::to_owned).into();
    loop {
        let before = inexact.len();
        for item in types {
            if let Item::Struct(item) = item
                && names(&item.fields).iter().any(|name| inexact.contains(name))
            {
                inexact.insert(item.ident.to_string());
            }
        }
        if inexact.len() == before {
            return inexact;
        }
    }
}

/// Returns all names in the types of the fields.
fn names(fields: &Fields) -> BTreeSet<String> {
    let types = fields.iter().map(|field| field.ty.to_token_stream().to_string());
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    types
        .flat_map(|name| name.split(|c| !is_part(c)).map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

fn conversion(extended: &ItemStruct, base: &ItemStruct) -> Item {
    let (from, to) = (&extended.ident, &base.ident);
    let fields = base.fields.iter().map(|field| &field.ident);
    let left = extended.fields.iter().map(field_name);
    let left: Vec<String> = left
        .filter(|name| base.fields.iter().all(|field| field_name(field) != *name))
        .map(|name| format!("`{name}`"))
        .collect();
    let about = format!(" Drops {}.", left.join(" and "));
    parse_quote! {
        #[doc = #about]
        impl ::std::convert::From<#from> for #to {
            fn from(value: #from) -> Self {
                Self {
                    #(#fields: value.#fields),*
                }
            }
        }
    }
}
