//! The filters that all searches share, as one value that an app can reuse for any search.

use syn::{Field, ImplItem, Item, ItemStruct, parse_quote};

use crate::contract::{Contract, Operation};
use crate::error::{Error, Result};
use crate::names::pascal_case;
use crate::syntax::{field_name, ident, module, self_type};

/// The page parameters, which are not filters.
const PAGE: [&str; 2] = ["skip", "limit"];

/// Generates the type `Filters`, and a method on each search that takes one. Does nothing without searches.
pub(crate) fn add(file: &mut syn::File, contract: &Contract) -> Result<()> {
    let searches = contract.operations.iter();
    let searches: Vec<&Operation> = searches
        .filter(|operation| operation.id.starts_with("search_"))
        .collect();
    let Some((first, others)) = searches.split_first() else {
        return Ok(());
    };
    let is_shared = |name: &str| {
        let has = |operation: &&&Operation| operation.parameters.iter().any(|parameter| parameter.name == name);
        others.iter().filter(has).count() == others.len()
    };
    let shared = first.parameters.iter();
    let shared: Vec<_> = shared
        .filter(|parameter| !PAGE.contains(&&*parameter.name) && is_shared(&parameter.name))
        .collect();
    let builder = module(&mut file.items, "builder")?;
    let name = pascal_case(&first.id);
    let request = builder.iter().find_map(|item| match item {
        Item::Struct(request) if request.ident == name => Some(request.clone()),
        _ => None,
    });
    let request = request.ok_or_else(|| Error::form(format!("the request `{name}` is missing")))?;

    let mut fields: Vec<Field> = Vec::new();
    let mut setters: Vec<ImplItem> = Vec::new();
    let mut lines = String::new();
    let mut names = Vec::new();
    for parameter in shared {
        let Some(value) = value_of(&request, &parameter.name) else {
            continue;
        };
        let (name, about) = (ident(&parameter.name)?, &parameter.description);
        fields.push(parse_quote!(pub(crate) #name: crate::call::argument::Argument<#value>));
        setters.push(parse_quote! {
            #[doc = #about]
            pub fn #name<V, K>(mut self, value: V) -> Self
            where
                V: crate::call::argument::OptionalArgument<#value, K>,
            {
                self.#name = crate::call::argument::Argument::optionally(value);
                self
            }
        });
        let example = crate::docs::literal(&parameter.example);
        lines.push_str(&format!("    .{}({example})\n", parameter.name));
        names.push(name);
    }
    let about = format!(
        "The filters that all searches share: built once, and given to any of them by `filters`.\n\n\
         ```\nuse platform_sdk::Filters;\n\nlet filters = Filters::new()\n{}    ;\n\
         # let _ = filters;\n```",
        lines
    );
    let about = about.replace("\n    ;\n", ";\n");
    file.items.push(parse_quote! {
        #[doc = #about]
        #[derive(Debug, Clone, Default)]
        #[must_use = "filters do nothing until a search takes them"]
        pub struct Filters {
            #(#fields),*
        }
    });
    file.items.push(parse_quote! {
        impl Filters {
            /// Returns an empty set of filters.
            pub fn new() -> Self {
                Self::default()
            }
            #(#setters)*
        }
    });
    let builder = module(&mut file.items, "builder")?;
    for search in searches {
        let request = pascal_case(&search.id);
        let id = &search.id;
        let block = builder.iter_mut().find_map(|item| match item {
            Item::Impl(block) if block.trait_.is_none() && self_type(block).is_some_and(|of| of == request) => {
                Some(block)
            }
            _ => None,
        });
        let block = block.ok_or_else(|| Error::form(format!("the request `{request}` has no methods")))?;
        let about = format!(
            "Sets the filters that `filters` has; others stay as they are. Takes a value or a reference.\n\n\
             ```\n# fn example(client: &platform_sdk::Client) {{\nuse platform_sdk::Filters;\n\n\
             let filters = Filters::new().countries([\"NO\", \"DK\"]);\n\
             let request = client.{id}().filters(&filters);\n# }}\n```"
        );
        block.items.push(parse_quote! {
            #[doc = #about]
            pub fn filters(mut self, filters: impl std::borrow::Borrow<crate::generated::filters::Filters>) -> Self {
                let filters = filters.borrow();
                #(self.#names.set(&filters.#names);)*
                self
            }
        });
    }
    Ok(())
}

/// Returns the value type of an optional parameter: `T` of `Argument<T>`.
fn value_of(request: &ItemStruct, name: &str) -> Option<syn::Type> {
    let field = request.fields.iter().find(|field| field_name(field) == name)?;
    let syn::Type::Path(path) = &field.ty else {
        return None;
    };
    match &path.path.segments.last()?.arguments {
        syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            syn::GenericArgument::Type(value) => Some(value.clone()),
            _ => None,
        },
        _ => None,
    }
}
