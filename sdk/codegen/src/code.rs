//! What is changed about the generated code.

use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, Field, Fields, Ident, ImplItem, ImplItemFn, Item, ItemImpl, ItemMod, Lit, LitStr, Meta,
    ReturnType, Stmt, Type, Visibility, parse_quote,
};

use crate::contract::{Contract, Operation};
use crate::error::{Error, Result};

pub(crate) fn rework(file: &mut syn::File, contract: &Contract) -> Result<()> {
    drop_hooks(file);
    hide_constructors(file);
    own_clients(file)?;
    drop_builders_of_answers(file, contract)?;
    open_answers(file, contract)?;
    Times.visit_file_mut(file);
    split_sends(file)?;
    Messages.visit_file_mut(file);
    file.items.push(operations(contract)?);
    Ok(())
}

/// Drops what lets behaviour enter between the generated lines: here they only write a request down, and
/// `crate::call` sends it.
fn drop_hooks(file: &mut syn::File) {
    file.items.retain(|item| match item {
        Item::Mod(module) => module.ident != "prelude",
        Item::Const(_) => false,
        Item::Impl(block) => block.trait_.is_none(),
        _ => true,
    });
}

/// The content of the module `name` among `items`.
pub(crate) fn module<'a>(items: &'a mut [Item], name: &str) -> Result<&'a mut Vec<Item>> {
    let content = items.iter_mut().find_map(|item| match item {
        Item::Mod(ItemMod {
            ident,
            content: Some((_, items)),
            ..
        }) if ident == name => Some(items),
        _ => None,
    });
    content.ok_or_else(|| Error::form(format!("there is no module `{name}`")))
}

/// Leaves one way to make a client, `Client::builder()`, and one to make a request, a method of the
/// client. The client's `Debug` is written by hand, because it must not depend on what is inside.
fn hide_constructors(file: &mut syn::File) {
    for item in &mut file.items {
        match item {
            Item::Struct(client) if client.ident == "Client" => {
                client.attrs.retain(|attr| !attr.path().is_ident("derive"));
                client.attrs.push(parse_quote!(#[derive(Clone)]));
                for field in &mut client.fields {
                    if field.ident.as_ref().is_some_and(|name| name == "baseurl") {
                        field.ty = parse_quote!(::std::sync::Arc<str>);
                    }
                }
            }
            Item::Impl(block) => block.items.retain(
                |item| !matches!(item, ImplItem::Fn(function) if is_constructor(&function.sig.ident)),
            ),
            _ => {}
        }
    }
    file.items
        .retain(|item| !matches!(item, Item::Impl(block) if block.items.is_empty()));
}

fn is_constructor(name: &Ident) -> bool {
    name == "new" || name == "new_with_client"
}

/// Has each request own its client, a clone of which is cheap: so it can be kept, sent from another task,
/// and made of a client that was changed for this one call.
fn own_clients(file: &mut syn::File) -> Result<()> {
    for item in &mut file.items {
        let Item::Impl(block) = item else { continue };
        for item in &mut block.items {
            if let ImplItem::Fn(method) = item {
                WithoutLifetimes.visit_return_type_mut(&mut method.sig.output);
            }
        }
    }
    for item in module(&mut file.items, "builder")? {
        match item {
            Item::Struct(request) => {
                request.generics = Default::default();
                for field in &mut request.fields {
                    if field.ident.as_ref().is_some_and(|name| name == "client") {
                        field.ty = parse_quote!(super::Client);
                        field.vis = parse_quote!(pub(crate));
                    }
                }
            }
            Item::Impl(block) => {
                block.generics = Default::default();
                WithoutLifetimes.visit_type_mut(&mut block.self_ty);
                for item in &mut block.items {
                    if let ImplItem::Fn(function) = item
                        && function.sig.ident == "new"
                    {
                        function.vis = parse_quote!(pub(super));
                        function.sig.inputs = parse_quote!(client: super::Client);
                    }
                }
            }
            _ => {}
        }
    }
    CloneClient.visit_file_mut(file);
    Ok(())
}

/// Has times without an offset read too: the source of the contract asks for ISO 8601 alone.
struct Times;

impl VisitMut for Times {
    fn visit_field_mut(&mut self, field: &mut Field) {
        if is_optional_time(&field.ty)
            && field.attrs.iter().any(|attr| attr.path().is_ident("serde"))
        {
            field
                .attrs
                .push(parse_quote!(#[serde(deserialize_with = "crate::time::read")]));
        }
    }
}

/// Whether a type is `Option<DateTime<…>>`.
fn is_optional_time(of: &Type) -> bool {
    let last = |of: &Type| match of {
        Type::Path(path) => path.path.segments.last().cloned(),
        _ => None,
    };
    let Some(option) = last(of).filter(|segment| segment.ident == "Option") else {
        return false;
    };
    let syn::PathArguments::AngleBracketed(arguments) = &option.arguments else {
        return false;
    };
    arguments.args.iter().any(|argument| match argument {
        syn::GenericArgument::Type(inner) => {
            last(inner).is_some_and(|segment| segment.ident == "DateTime")
        }
        _ => false,
    })
}

struct WithoutLifetimes;

impl VisitMut for WithoutLifetimes {
    fn visit_path_segment_mut(&mut self, segment: &mut syn::PathSegment) {
        let only_lifetimes = matches!(&segment.arguments, syn::PathArguments::AngleBracketed(arguments)
            if arguments.args.iter().all(|argument| matches!(argument, syn::GenericArgument::Lifetime(_))));
        if only_lifetimes {
            segment.arguments = syn::PathArguments::None;
        }
        visit_mut::visit_path_segment_mut(self, segment);
    }
}

/// `builder::ListItems::new(self.clone())` for `builder::ListItems::new(self)`.
struct CloneClient;

impl VisitMut for CloneClient {
    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        if let (Some(Expr::Path(argument)), 1) = (call.args.first(), call.args.len())
            && argument.path.is_ident("self")
        {
            call.args = parse_quote!(self.clone());
        }
        visit_mut::visit_expr_call_mut(self, call);
    }
}

/// Keeps the builders of request bodies alone. Nobody builds an answer but a test, which has
/// examples for it, and they would be two fifths of what a consumer compiles.
fn drop_builders_of_answers(file: &mut syn::File, contract: &Contract) -> Result<()> {
    let types = module(&mut file.items, "types")?;
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
    let Ok(builder) = module(types, "builder") else {
        // No operation has a body.
        return Ok(());
    };
    builder.retain(|item| match item {
        Item::Struct(builder) => is_body(contract, &builder.ident),
        // `TryFrom<Builder> for Type` and `From<Type> for Builder`: either way the type's own name.
        Item::Impl(block) => self_type(block).is_some_and(|name| is_body(contract, &name)),
        _ => true,
    });
    Ok(())
}

pub(crate) fn is_body(contract: &Contract, name: &Ident) -> bool {
    contract.operations.iter().any(|operation| {
        operation
            .body_type
            .as_ref()
            .is_some_and(|body| name == body)
    })
}

/// The last segment of the type that a block implements something for.
pub(crate) fn self_type(block: &ItemImpl) -> Option<Ident> {
    match &*block.self_ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
        _ => None,
    }
}

/// Readies the types of answers for growth. A property may be added, so an app cannot name all of
/// them; and one that may be null may as well be missing, since both mean that it is not known.
fn open_answers(file: &mut syn::File, contract: &Contract) -> Result<()> {
    for item in module(&mut file.items, "types")? {
        let Item::Struct(answer) = item else { continue };
        if is_body(contract, &answer.ident) || !matches!(answer.fields, Fields::Named(_)) {
            continue;
        }
        answer.attrs.push(parse_quote!(#[non_exhaustive]));
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

/// Splits each generated `send` in two: the request, as progenitor writes it down, and its sending, which
/// is the SDK's own: an error must keep its status whatever its body is, and a call is more than one
/// exchange.
fn split_sends(file: &mut syn::File) -> Result<()> {
    for item in module(&mut file.items, "builder")? {
        let Item::Impl(block) = item else { continue };
        let Some(index) = block.items.iter().position(is_send) else {
            continue;
        };
        let ImplItem::Fn(request) = &mut block.items[index] else {
            continue;
        };
        let send = send(request)?;
        write_down(request)?;
        block.items.push(send);
    }
    Ok(())
}

fn is_send(item: &ImplItem) -> bool {
    matches!(item, ImplItem::Fn(function) if function.sig.ident == "send")
}

/// Leaves of a generated `send` what makes the request, as often as one likes.
fn write_down(send: &mut ImplItemFn) -> Result<()> {
    send.sig.ident = parse_quote!(request);
    send.sig.inputs = parse_quote!(&self);
    send.sig.asyncness = None;
    send.sig.output = parse_quote!(-> Result<::reqwest::Request, Error<()>>);
    send.vis = Visibility::Inherited;
    send.attrs.clear();
    let statements = &mut send.block.stmts;
    let made = statements
        .iter()
        .position(|stmt| local_name(stmt).is_some_and(|name| name == "request"))
        .ok_or_else(|| Error::form("a `send` makes no `request`"))?;
    statements.truncate(made + 1);
    // The contract has no header `api-version`.
    statements.retain(|stmt| !is_about_headers(stmt));
    let Some(Stmt::Local(request)) = statements.last_mut() else {
        return Err(Error::form("the `request` of a `send` is not a variable"));
    };
    request.attrs.clear();
    request.pat = parse_quote!(request);
    WithoutHeaderMap.visit_local_mut(request);
    for statement in &mut *statements {
        PlainIds.visit_stmt_mut(statement);
        if let Stmt::Local(local) = statement {
            clone_argument(local);
        }
    }
    statements.push(Stmt::Expr(parse_quote!(Ok(request)), None));
    Ok(())
}

fn is_about_headers(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Local(_) => local_name(stmt).is_some_and(|name| name == "header_map"),
        Stmt::Expr(Expr::MethodCall(call), _) => {
            matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("header_map"))
        }
        _ => false,
    }
}

fn local_name(stmt: &Stmt) -> Option<&Ident> {
    match stmt {
        Stmt::Local(syn::Local {
            pat: syn::Pat::Ident(pattern),
            ..
        }) => Some(&pattern.ident),
        _ => None,
    }
}

/// Takes `.headers(header_map)` out of a chain of calls.
struct WithoutHeaderMap;

impl VisitMut for WithoutHeaderMap {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::MethodCall(call) = expr
            && call.method == "headers"
        {
            *expr = (*call.receiver).clone();
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}

/// `let limit = limit.clone().map_err(…)?` for `let limit = limit.map_err(…)?`.
fn clone_argument(local: &mut syn::Local) {
    let syn::Pat::Ident(pattern) = &local.pat else {
        return;
    };
    let Some(init) = &mut local.init else { return };
    let mut first = &mut *init.expr;
    loop {
        first = match first {
            Expr::Try(tried) => &mut tried.expr,
            Expr::MethodCall(call) => &mut call.receiver,
            Expr::Path(path) if path.path.is_ident(&pattern.ident) => break,
            _ => return,
        };
    }
    *first = parse_quote!(#first.clone());
}

/// Writes an id into the path as it is: nothing in a number needs to be encoded.
struct PlainIds;

impl VisitMut for PlainIds {
    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let parse = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        let Ok(mut arguments) = mac.parse_body_with(parse) else {
            return;
        };
        for argument in &mut arguments {
            if let Some(id) = encoded(argument).filter(|id| id.to_string().ends_with("_id")) {
                *argument = parse_quote!(#id);
            }
        }
        mac.tokens = parse_quote!(#arguments);
    }
}

/// `x` of `encode_path(&x.to_string())`.
fn encoded(argument: &Expr) -> Option<Ident> {
    let Expr::Call(call) = argument else {
        return None;
    };
    let Some(Expr::Reference(reference)) = call.args.first() else {
        return None;
    };
    let Expr::MethodCall(text) = &*reference.expr else {
        return None;
    };
    match (&*call.func, &*text.receiver) {
        (Expr::Path(function), Expr::Path(value)) if function.path.is_ident("encode_path") => {
            value.path.get_ident().cloned()
        }
        _ => None,
    }
}

/// A `send` with the success type and the documentation of the generated one.
fn send(generated: &ImplItemFn) -> Result<ImplItem> {
    let success = success(&generated.sig.output)
        .ok_or_else(|| Error::form("a `send` no longer returns a result"))?;
    let operation = constant(&operation_id(generated)?.value())?;
    let attrs = &generated.attrs;
    Ok(parse_quote! {
        #(#attrs)*
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(self) -> Result<#success, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(client, &super::operations::#operation, Box::new(request)).await
        }
    })
}

/// `T` of `-> Result<T, E>`.
fn success(output: &ReturnType) -> Option<&syn::GenericArgument> {
    let ReturnType::Type(_, output) = output else {
        return None;
    };
    let Type::Path(result) = &**output else {
        return None;
    };
    match &result.path.segments.first()?.arguments {
        syn::PathArguments::AngleBracketed(arguments) => arguments.args.first(),
        _ => None,
    }
}

/// `LIST_ITEMS` for `list_items`.
pub(crate) fn constant(operation_id: &str) -> Result<Ident> {
    ident(&operation_id.to_uppercase())
}

/// A name as Rust has it.
pub(crate) fn ident(name: &str) -> Result<Ident> {
    syn::parse_str(name).map_err(|_| Error::form(format!("`{name}` is not a name in Rust")))
}

/// The name of a field that has one.
pub(crate) fn field_name(field: &Field) -> String {
    field
        .ident
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// The id in the `OperationInfo` that a generated `send` hands to the hooks.
fn operation_id(send: &ImplItemFn) -> Result<LitStr> {
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
    id.ok_or_else(|| Error::form("a `send` no longer names its operation"))
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

/// What the contract says of how each operation is called.
fn operations(contract: &Contract) -> Result<Item> {
    let constants: Vec<Ident> = contract
        .operations
        .iter()
        .map(|operation| constant(&operation.id))
        .collect::<Result<_>>()?;
    let policies = contract
        .operations
        .iter()
        .zip(&constants)
        .map(|(operation, constant)| {
            let Operation {
                id,
                method,
                path,
                is_idempotent,
                retryable_statuses,
                timeout_seconds,
                ..
            } = operation;
            let item: Item = parse_quote! {
                pub(crate) static #constant: Operation = Operation {
                    id: #id,
                    method: #method,
                    path: #path,
                    is_idempotent: #is_idempotent,
                    retryable_statuses: &[#(#retryable_statuses),*],
                    timeout: ::std::time::Duration::from_secs(#timeout_seconds),
                };
            };
            item
        });
    Ok(parse_quote! {
        /// How each operation is called, by the extensions of the contract.
        pub(crate) mod operations {
            use crate::operation::Operation;
            #(#policies)*
            #[cfg(test)]
            pub(crate) static ALL: &[&Operation] = &[#(&#constants),*];
        }
    })
}
