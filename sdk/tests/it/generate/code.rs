//! What is changed about the generated code.

use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, Field, Fields, Ident, ImplItem, ImplItemFn, Item, ItemImpl, ItemMod, Lit, LitStr, Meta,
    ReturnType, Stmt, Type, Visibility, parse_quote,
};

use super::document::Contract;

pub(super) fn rework(file: &mut syn::File, contract: &Contract) {
    file.items.retain(|item| !is_module(item, "prelude"));
    hide_constructors(file);
    drop_builders_of_answers(file, contract);
    open_answers(file, contract);
    split_sends(file);
    Messages.visit_file_mut(file);
    file.items.push(timeouts(contract));
}

fn is_module(item: &Item, name: &str) -> bool {
    matches!(item, Item::Mod(module) if module.ident == name)
}

/// The content of the module `name` among `items`.
pub(super) fn module<'a>(items: &'a mut [Item], name: &str) -> &'a mut Vec<Item> {
    let content = items.iter_mut().find_map(|item| match item {
        Item::Mod(ItemMod {
            ident,
            content: Some((_, items)),
            ..
        }) if ident == name => Some(items),
        _ => None,
    });
    content.unwrap_or_else(|| panic!("progenitor no longer writes a module `{name}`"))
}

/// Leaves one way to make a client, `Client::builder()`, and one to make a request, a method of the
/// client. The client's `Debug` is written by hand, because it must not depend on what is inside.
fn hide_constructors(file: &mut syn::File) {
    for item in &mut file.items {
        match item {
            Item::Struct(client) if client.ident == "Client" => {
                client.attrs.retain(|attr| !attr.path().is_ident("derive"));
                client.attrs.push(parse_quote!(#[derive(Clone)]));
            }
            Item::Impl(block) => block.items.retain_mut(|item| match item {
                ImplItem::Fn(function) if function.sig.ident == "new" => false,
                ImplItem::Fn(function) if function.sig.ident == "new_with_client" => {
                    function.vis = parse_quote!(pub(crate));
                    true
                }
                _ => true,
            }),
            _ => {}
        }
    }
    for item in module(&mut file.items, "builder") {
        let Item::Impl(block) = item else { continue };
        for item in &mut block.items {
            if let ImplItem::Fn(function) = item
                && function.sig.ident == "new"
            {
                function.vis = parse_quote!(pub(super));
            }
        }
    }
}

/// Keeps the builders of request bodies alone. Nobody builds an answer but a test, which has JSON for
/// it, and they would be two fifths of what a consumer compiles.
fn drop_builders_of_answers(file: &mut syn::File, contract: &Contract) {
    let types = module(&mut file.items, "types");
    for item in types.iter_mut() {
        let Item::Impl(block) = item else { continue };
        if !self_type(block).is_some_and(|name| is_body(contract, &name)) {
            block
                .items
                .retain(|item| !matches!(item, ImplItem::Fn(f) if f.sig.ident == "builder"));
        }
    }
    types.retain(|item| {
        !matches!(item, Item::Impl(block) if block.trait_.is_none() && block.items.is_empty())
    });
    module(types, "builder").retain(|item| match item {
        Item::Struct(builder) => is_body(contract, &builder.ident),
        // `TryFrom<Builder> for Type` and `From<Type> for Builder`: either way the type's own name.
        Item::Impl(block) => self_type(block).is_some_and(|name| is_body(contract, &name)),
        _ => true,
    });
}

fn is_body(contract: &Contract, name: &Ident) -> bool {
    contract.operations.iter().any(|operation| {
        operation
            .body_type
            .as_ref()
            .is_some_and(|body| name == body)
    })
}

/// The last segment of the type that a block implements something for.
pub(super) fn self_type(block: &ItemImpl) -> Option<Ident> {
    match &*block.self_ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
        _ => None,
    }
}

/// Readies the types of answers for growth. A property may be added, so an app cannot name all of
/// them; and one that may be null may as well be missing, since both mean that it is not known.
fn open_answers(file: &mut syn::File, contract: &Contract) {
    for item in module(&mut file.items, "types") {
        let Item::Struct(answer) = item else { continue };
        if is_body(contract, &answer.ident) || !matches!(answer.fields, Fields::Named(_)) {
            continue;
        }
        answer.attrs.push(parse_quote!(#[non_exhaustive]));
        answer.fields.iter_mut().for_each(default_to_null);
    }
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

/// Splits each generated `send` in two: the request, as progenitor wrote it, and the reading of the
/// answer, which is the SDK's own, because an error must keep its status whatever its body is.
fn split_sends(file: &mut syn::File) {
    for item in module(&mut file.items, "builder") {
        let Item::Impl(block) = item else { continue };
        let Some(index) = block.items.iter().position(is_send) else {
            continue;
        };
        let ImplItem::Fn(request) = &mut block.items[index] else {
            unreachable!("a send is a function")
        };
        let send = send(request);
        request.sig.ident = parse_quote!(request);
        request.sig.output = parse_quote!(-> Result<::reqwest::Response, Error<()>>);
        request.vis = Visibility::Inherited;
        request.attrs.clear();
        // What is replaced is the match that would decode by status.
        *request.block.stmts.last_mut().unwrap() = Stmt::Expr(parse_quote!(Ok(response)), None);
        block.items.push(send);
    }
}

fn is_send(item: &ImplItem) -> bool {
    matches!(item, ImplItem::Fn(function) if function.sig.ident == "send")
}

/// A `send` with the success type and the documentation of the generated one.
fn send(generated: &ImplItemFn) -> ImplItem {
    let ReturnType::Type(_, output) = &generated.sig.output else {
        panic!("progenitor's send no longer returns a result")
    };
    let Type::Path(result) = &**output else {
        panic!("progenitor's send no longer returns a result")
    };
    let syn::PathArguments::AngleBracketed(arguments) = &result.path.segments[0].arguments else {
        panic!("progenitor's send no longer returns a result")
    };
    let success = &arguments.args[0];
    let operation = operation_id(generated);
    let attrs = &generated.attrs;
    parse_quote! {
        #(#attrs)*
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(self) -> Result<#success, crate::Error> {
            let client = self.client;
            crate::response::read(client, #operation, self.request().await).await
        }
    }
}

/// The id in the `OperationInfo` that a generated `send` hands to the hooks.
fn operation_id(send: &ImplItemFn) -> LitStr {
    let id = send.block.stmts.iter().find_map(|stmt| {
        let Stmt::Local(local) = stmt else {
            return None;
        };
        let Expr::Struct(info) = &*local.init.as_ref()?.expr else {
            return None;
        };
        match &info.fields.first()?.expr {
            Expr::Lit(literal) if info.path.is_ident("OperationInfo") => match &literal.lit {
                Lit::Str(id) => Some(id.clone()),
                _ => None,
            },
            _ => None,
        }
    });
    id.expect("progenitor names the operation")
}

/// Says in plain words what is wrong with an argument: progenitor shows how it writes the type.
struct Messages;

impl VisitMut for Messages {
    fn visit_lit_str_mut(&mut self, literal: &mut LitStr) {
        let text = literal.value();
        let plain = if let Some(name) = text.strip_suffix(" was not initialized") {
            format!("`{name}` is missing")
        } else if let Some((written, name)) = text
            .strip_prefix("conversion to `")
            .and_then(|rest| rest.strip_suffix(" failed"))
            .and_then(|rest| rest.split_once("` for "))
        {
            format!("`{name}` is given a value that is no `{}`", short(written))
        } else {
            return visit_mut::visit_lit_str_mut(self, literal);
        };
        *literal = LitStr::new(&plain, literal.span());
    }
}

/// A type without its path: `AnyOf<FundingStage>` for `crate :: AnyOf < crate :: FundingStage >`.
fn short(written: &str) -> String {
    let compact = written.replace(' ', "");
    let names = compact
        .split('<')
        .map(|part| part.rsplit("::").next().unwrap_or(part));
    names.collect::<Vec<_>>().join("<")
}

/// The contract's `x-timeout-seconds`, by operation.
fn timeouts(contract: &Contract) -> Item {
    let ids = contract.operations.iter().map(|operation| &operation.id);
    let seconds = contract
        .operations
        .iter()
        .map(|operation| operation.timeout_seconds);
    parse_quote! {
        /// How long one attempt at an operation may take, by the contract's `x-timeout-seconds`.
        pub(crate) fn timeout(operation_id: &str) -> Option<::std::time::Duration> {
            let seconds = match operation_id {
                #(#ids => #seconds,)*
                _ => return None,
            };
            Some(::std::time::Duration::from_secs(seconds))
        }
    }
}
