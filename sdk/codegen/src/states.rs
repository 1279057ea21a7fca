//! The type parameters of requests: the parameters missing at the start, and their marker types.

use std::collections::BTreeSet;

use syn::{Ident, ImplItem, Item, parse_quote};

use crate::contract::Contract;
use crate::error::{Error, Result};
use crate::names::pascal_case;
use crate::syntax::self_type;

/// The required parameters of each request, by the name of its type.
pub(crate) type Missing = Vec<(Ident, Vec<Ident>)>;

/// Generates the marker types for missing parameters.
pub(crate) fn markers(missing: &Missing) -> Item {
    let names: BTreeSet<&Ident> = missing.iter().flat_map(|(_, names)| names).collect();
    let markers = names.into_iter().map(|name| -> Item {
        let lacking = missing.iter().filter(|(_, names)| names.contains(name));
        let example = lacking.min_by_key(|(_, names)| names.len());
        let example = example.map(|(request, names)| {
            let names: Vec<String> = names.iter().map(|name| format!("missing::{name}")).collect();
            format!(
                "use platform_sdk::builder::{{{request}, missing}};\n\n\
                 // The request that a method of the client returns.\ntype Begun = {request}<{}>;",
                names.join(", ")
            )
        });
        let about = format!(
            "The parameter `{name}` is missing.\n\n```\n{}\n```",
            example.unwrap_or_default()
        );
        parse_quote! {
            #[doc = #about]
            #[derive(Debug, Clone, Copy)]
            #[allow(non_camel_case_types)]
            pub enum #name {}
        }
    });
    parse_quote! {
        pub mod missing {
            #(#markers)*
        }
    }
}

/// Makes the client's methods return requests without their parameters, and adds the blocking methods.
pub(crate) fn begin_requests(file: &mut syn::File, missing: &Missing) -> Result<()> {
    let mut blocking: Vec<ImplItem> = Vec::new();
    for item in &mut file.items {
        let Item::Impl(client) = item else { continue };
        if self_type(client).is_none_or(|name| name != "Client") {
            continue;
        }
        for item in &mut client.items {
            let ImplItem::Fn(method) = item else { continue };
            let name = method.sig.ident.clone();
            let request = pascal_case(&name.to_string());
            let Some((request, missing)) = missing.iter().find(|(known, _)| *known == request) else {
                continue;
            };
            let attrs = &method.attrs;
            blocking.push(parse_quote! {
                #(#attrs)*
                pub fn #name(&self) -> builder::#request<#(builder::missing::#missing,)* Blocking> {
                    builder::#request::new(self.client.core.clone(), self.mode.clone())
                }
            });
            method.sig.output = match missing.is_empty() {
                true => parse_quote!(-> builder::#request),
                false => parse_quote!(-> builder::#request<#(builder::missing::#missing),*>),
            };
            method.block = parse_quote!({ builder::#request::new(self.core.clone(), crate::call::state::Async) });
        }
    }
    if blocking.is_empty() {
        return Err(Error::form("the client has no methods"));
    }
    file.items.push(parse_quote! {
        impl crate::blocking::Client {
            #(#blocking)*
        }
    });
    Ok(())
}

/// Returns what a request lacks without its body: its only required property, or else the body.
pub(crate) fn body_in_short(request: &Ident, contract: &Contract) -> Result<String> {
    let mut operations = contract.operations.iter();
    let operation = operations.find(|operation| *request == pascal_case(&operation.id));
    let Some(body) = operation.and_then(|operation| operation.body_type.as_deref()) else {
        return Ok("body".to_owned());
    };
    let required = contract.schema(body)?["required"].as_array();
    Ok(match required.map(Vec::as_slice) {
        Some([only]) => only.as_str().unwrap_or("body").to_owned(),
        _ => "body".to_owned(),
    })
}
