//! The builders of request bodies. Only tests build responses, and they have examples. progenitor's builders
//! of responses would be two fifths of the code that an app compiles.

use syn::{Fields, ImplItem, Item, ItemStruct, parse_quote};

use crate::contract::Contract;
use crate::error::{Error, Result};
use crate::syntax::{field_name, is_body, module, option_of};

/// Replaces progenitor's builders. Only bodies have one, and each property is an `Argument`.
pub(crate) fn rework(file: &mut syn::File, contract: &Contract) -> Result<()> {
    let types = module(&mut file.items, "types")?;
    for item in types.iter_mut() {
        if let Item::Impl(block) = item {
            let is_builder = |item: &ImplItem| matches!(item, ImplItem::Fn(f) if f.sig.ident == "builder");
            block.items.retain(|item| !is_builder(item));
        }
    }
    types.retain(|item| {
        !matches!(item, Item::Impl(block) if block.trait_.is_none() && block.items.is_empty())
            && !matches!(item, Item::Mod(module) if module.ident == "builder")
    });
    let mut builders: Vec<Item> = Vec::new();
    let mut beginnings: Vec<Item> = Vec::new();
    for item in types.iter() {
        let Item::Struct(body) = item else { continue };
        if is_body(contract, &body.ident) {
            let name = &body.ident;
            builders.extend(builder(body)?);
            beginnings.push(parse_quote! {
                impl #name {
                    pub fn builder() -> builder::#name {
                        Default::default()
                    }
                }
            });
        }
    }
    types.extend(beginnings);
    if !builders.is_empty() {
        types.push(parse_quote! {
            pub mod builder {
                #(#builders)*
            }
        });
    }
    Ok(())
}

fn builder(body: &ItemStruct) -> Result<[Item; 4]> {
    let name = &body.ident;
    let Fields::Named(properties) = &body.fields else {
        return Err(Error::form(format!("the body `{name}` has no properties")));
    };
    let (mut fields, mut setters, mut values, mut backs) = (vec![], vec![], vec![], vec![]);
    for property in &properties.named {
        let (key, text) = (&property.ident, field_name(property));
        let is_optional = option_of(&property.ty);
        let value = is_optional.unwrap_or(&property.ty);
        let field: syn::Field = parse_quote!(pub(crate) #key: crate::call::argument::Argument<#value>);
        fields.push(field);
        let setter: ImplItem = match is_optional {
            None => parse_quote! {
                pub fn #key<V>(mut self, value: V) -> Self
                where
                    V: ::std::convert::TryInto<#value>,
                    V::Error: ::std::fmt::Display,
                {
                    self.#key = crate::call::argument::Argument::of(value);
                    self
                }
            },
            Some(_) => parse_quote! {
                pub fn #key<V, K>(mut self, value: V) -> Self
                where
                    V: crate::call::argument::OptionalArgument<#value, K>,
                {
                    self.#key = crate::call::argument::Argument::optionally(value);
                    self
                }
            },
        };
        setters.push(setter);
        let taken: syn::FieldValue = match is_optional {
            None => parse_quote!(#key: value.#key.required(#text)?.clone()),
            Some(_) => parse_quote!(#key: value.#key.optional(#text)?.cloned()),
        };
        values.push(taken);
        let back: syn::FieldValue = match is_optional {
            None => parse_quote!(#key: crate::call::argument::Argument::Given(value.#key)),
            Some(_) => parse_quote!(#key: value.#key.into()),
        };
        backs.push(back);
    }
    Ok([
        parse_quote! {
            #[derive(Clone, Debug, Default)]
            pub struct #name {
                #(#fields),*
            }
        },
        parse_quote! {
            impl #name {
                #(#setters)*
            }
        },
        parse_quote! {
            impl ::std::convert::TryFrom<#name> for super::#name {
                type Error = super::error::ConversionError;
                fn try_from(value: #name) -> Result<Self, Self::Error> {
                    Ok(Self { #(#values),* })
                }
            }
        },
        parse_quote! {
            impl ::std::convert::From<super::#name> for #name {
                fn from(value: super::#name) -> Self {
                    Self { #(#backs),* }
                }
            }
        },
    ])
}
