//! Forward compatibility of response types with newer servers.

use syn::{Expr, Fields, Item, ItemStruct, Lit, Meta, parse_quote};

use crate::contract::Contract;
use crate::error::Result;
use crate::syntax::{field_name, is_body, module};

/// Adds a field for unknown fields to every response type, and code that finds unknown fields and values.
pub(crate) fn keep(file: &mut syn::File, contract: &Contract) -> Result<()> {
    let types = module(&mut file.items, "types")?;
    let mut scans = Vec::new();
    for item in types.iter_mut() {
        if let Item::Enum(choice) = item {
            // A closed list has no unknown values.
            let name = &choice.ident;
            scans.push(parse_quote! {
                impl crate::types::unknown::Scan for #name {
                    fn scan(&self, _: &crate::types::unknown::At<'_>) {}
                }
            });
        }
        let Item::Struct(answer) = item else { continue };
        if is_body(contract, &answer.ident) {
            continue;
        }
        scans.push(scan(answer));
        if let Fields::Named(fields) = &mut answer.fields {
            fields.named.push(parse_quote! {
                /// Fields that this version of the SDK does not know, unchanged.
                #[serde(flatten)]
                pub unknown_fields: crate::types::unknown_fields::UnknownFields
            });
        }
    }
    types.extend(scans);
    Ok(())
}

/// Generates the scan of the fields of `answer`, as progenitor wrote it.
fn scan(answer: &ItemStruct) -> Item {
    let name = &answer.ident;
    let body: syn::Block = match &answer.fields {
        Fields::Named(fields) => {
            let schema = name.to_string();
            let walks = fields.named.iter().map(|field| -> syn::Stmt {
                let ident = &field.ident;
                let key = json_name(field);
                parse_quote!(at.field(#key, &self.#ident);)
            });
            parse_quote!({
                #(#walks)*
                at.unknown_fields(#schema, &self.unknown_fields);
            })
        }
        _ => parse_quote!({ self.0.scan(at) }),
    };
    parse_quote! {
        impl crate::types::unknown::Scan for #name {
            fn scan(&self, at: &crate::types::unknown::At<'_>) #body
        }
    }
}

/// Returns the JSON name of a field.
pub(crate) fn json_name(field: &syn::Field) -> String {
    let renamed = field.attrs.iter().find_map(|attr| {
        let Meta::List(list) = &attr.meta else {
            return None;
        };
        let argument: syn::MetaNameValue = list.path.is_ident("serde").then(|| list.parse_args().ok())??;
        match argument.value {
            Expr::Lit(literal) if argument.path.is_ident("rename") => match literal.lit {
                Lit::Str(name) => Some(name.value()),
                _ => None,
            },
            _ => None,
        }
    });
    renamed.unwrap_or_else(|| field_name(field))
}
