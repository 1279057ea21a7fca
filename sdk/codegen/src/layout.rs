//! The file layout of the client. Each request, each type and the examples of each type have their own file,
//! so that a change of the contract shows up in the files that it affects.

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::{Attribute, Item, ItemImpl, ItemMod, parse_quote};

use crate::error::Result;
use crate::files::Client;
use crate::names::snake_case;
use crate::syntax::{ident, self_type};

/// The documentation of the module `missing`.
const MISSING: &str =
    "Required parameters that a request may lack. Each is a type, which the type of the request contains until
the parameter is [set](super::Given).

```no_run
use platform_sdk::Client;
use platform_sdk::builder::{ListItems, missing};

/// The pipeline is chosen later.
fn newest_first(client: &Client) -> ListItems<missing::pipeline_id> {
    client.list_items().sort_order(\"desc\")
}
```";

/// Distributes the code of a client over files.
pub(crate) fn lay_out(file: syn::File, client: &mut Client) -> Result<()> {
    let (mut calls, mut filters, mut blocking) = (Vec::new(), Vec::new(), Vec::new());
    for item in file.items {
        match item {
            Item::Mod(module) if module.ident == "types" => types(module, client)?,
            Item::Mod(module) if module.ident == "builder" => requests(module, client)?,
            Item::Mod(module) if module.ident == "operations" => {
                let about = "How each operation is called, from the extensions of the contract.";
                add(client, "operations.rs", about, content(module));
            }
            Item::Struct(ref part) if part.ident == "Filters" => filters.push(item),
            Item::Impl(ref block) if self_type(block).is_some_and(|of| of == "Filters") => filters.push(item),
            Item::Impl(ref block) if is_blocking(block) => blocking.push(item),
            Item::Struct(_) | Item::Impl(_) => calls.push(item),
            _ => {}
        }
    }
    calls.insert(
        0,
        parse_quote!(
            use super::builder;
        ),
    );
    add(
        client,
        "client.rs",
        "The client, with a method for each operation.",
        calls,
    );
    add(client, "filters.rs", "The filters of searches.", filters);
    let uses = parse_quote! {
        use super::builder;
        use crate::blocking::Blocking;
    };
    blocking.splice(0..0, items(uses));
    let about = "The methods of the blocking client, one for each operation.";
    add(client, "blocking.rs", about, blocking);
    let about = "The part of the SDK that is generated from the contract.";
    let modules = parse_quote! {
        #[cfg(feature = "blocking")]
        mod blocking;
        pub mod builder;
        mod client;
        #[cfg(feature = "mock")]
        pub mod examples;
        pub(crate) mod filters;
        pub(crate) mod operations;
        pub(crate) mod problem_code;
        pub mod types;

        pub use self::client::Client;
        pub use self::filters::Filters;
        pub use self::problem_code::ProblemCode;
        #[cfg(feature = "mock")]
        pub(crate) use self::problem_code::problem;
    };
    add(client, "mod.rs", about, items(modules));
    Ok(())
}

/// Whether a block contains methods of `crate::blocking::Client`.
fn is_blocking(block: &ItemImpl) -> bool {
    block.self_ty.to_token_stream().to_string().contains("blocking")
}

/// Writes a file for each request, and one for the markers of missing parameters.
fn requests(module: ItemMod, client: &mut Client) -> Result<()> {
    let (modules, parts): (Vec<_>, Vec<_>) = content(module)
        .into_iter()
        .partition(|item| matches!(item, Item::Mod(_)));
    let mut index = items(parse_quote! {
        pub use crate::call::state::{Async, Given, IsGiven};
    });
    for item in modules {
        let Item::Mod(module) = item else { continue };
        let name = module.ident.clone();
        let path = format!("builder/{name}.rs");
        add(client, &path, MISSING, content(module));
        index.push(parse_quote!(pub mod #name;));
    }
    let files = by_type(parts);
    for (name, mut parts) in files {
        let file = snake_case(&name);
        let uses = parse_quote! {
            use std::marker::PhantomData;

            use progenitor_client::{encode_path, RequestBuilderExt, ResponseValue};

            use super::missing;
            use crate::call::state::{Async, Given, IsGiven};
            use crate::generated::{operations, types};
        };
        parts.splice(0..0, items(uses));
        let about = format!("Request of `{file}`.");
        add(client, &format!("builder/{file}.rs"), &about, parts);
        index.extend(exported(&file, &name)?);
    }
    add(
        client,
        "builder/mod.rs",
        "The requests: one type for each operation, with a method for each parameter.\n\n\
         The type parameters of a request show which of its required parameters are set ([`Given`]) or [`missing`], and how it\n\
         is sent ([`Async`], or `Blocking` of the blocking client). All have defaults: the name alone is the type of a\n\
         request with all required parameters.",
        index,
    );
    Ok(())
}

/// Writes a file for each type, one for the builders of bodies, and one for the conversion error.
fn types(module: ItemMod, client: &mut Client) -> Result<()> {
    let mut index = Vec::new();
    let (modules, parts): (Vec<_>, Vec<_>) = content(module)
        .into_iter()
        .partition(|item| matches!(item, Item::Mod(_)));
    for item in modules {
        let Item::Mod(module) = item else { continue };
        let name = module.ident.clone();
        let about = match name.to_string().as_str() {
            "builder" => "Builders of request bodies.",
            "error" => "Error of a conversion.",
            _ => "A part of the types.",
        };
        add(client, &format!("types/{name}.rs"), about, content(module));
        index.push(parse_quote!(pub mod #name;));
    }
    for (name, mut parts) in by_type(parts) {
        let file = match snake_case(&name) {
            // Names of other files, and names that are not Rust identifiers.
            file if ["builder", "error", "mod"].contains(&&*file) || ident(&file).is_err() => {
                format!("{file}_type")
            }
            file => file,
        };
        parts.insert(
            0,
            parse_quote!(
                use super::*;
            ),
        );
        add(client, &format!("types/{file}.rs"), &format!("`{name}`."), parts);
        index.extend(exported(&file, &name)?);
    }
    add(
        client,
        "types/mod.rs",
        "The schemas of the contract: bodies of requests and responses.",
        index,
    );
    Ok(())
}

fn exported(file: &str, name: &str) -> Result<Vec<Item>> {
    let (file, name) = (ident(file)?, ident(name)?);
    Ok(items(parse_quote! {
        mod #file;
        pub use self::#file::#name;
    }))
}

/// Groups the items by the type that they define or implement.
fn by_type(items: Vec<Item>) -> BTreeMap<String, Vec<Item>> {
    let mut files: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    let (defined, others): (Vec<_>, Vec<_>) = items
        .into_iter()
        .partition(|item| matches!(item, Item::Struct(_) | Item::Enum(_)));
    for item in defined {
        let name = match &item {
            Item::Struct(item) => item.ident.to_string(),
            Item::Enum(item) => item.ident.to_string(),
            _ => continue,
        };
        files.entry(name).or_default().push(item);
    }
    for item in others {
        if let Item::Impl(block) = &item
            && let Some(name) = subject(block, &files)
        {
            files.entry(name).or_default().push(item);
        }
    }
    files
}

/// Returns the type that a block belongs to: its self type, or else the first known type in its trait.
fn subject(block: &ItemImpl, files: &BTreeMap<String, Vec<Item>>) -> Option<String> {
    let of = self_type(block).map(|name| name.to_string());
    of.filter(|name| files.contains_key(name)).or_else(|| {
        let (path, _) = block.trait_.as_ref()?;
        let words = path.to_token_stream().to_string();
        let mut words = words.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.find(|word| files.contains_key(*word)).map(str::to_owned)
    })
}

fn content(module: ItemMod) -> Vec<Item> {
    module.content.map(|(_, items)| items).unwrap_or_default()
}

fn items(file: syn::File) -> Vec<Item> {
    file.items
}

fn add(client: &mut Client, path: &str, about: &str, items: Vec<Item>) {
    let lines = about.lines().map(|line| match line {
        "" => String::new(),
        line => format!(" {line}"),
    });
    let attrs: Vec<Attribute> = lines.map(|line| parse_quote!(#![doc = #line])).collect();
    let file = syn::File {
        shebang: None,
        frontmatter: None,
        attrs,
        items,
    };
    client.add(path, &prettyplease::unparse(&file));
}
