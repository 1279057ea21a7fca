//! The requests. progenitor writes builders that send themselves once. This module turns each into one that
//! can build its request for every attempt, and leaves the sending to `crate::call`. The type of a request
//! states which required parameters are set, so that a request without one does not compile, and how it is
//! sent.

use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, GenericArgument, Ident, ImplItem, ImplItemFn, Item, ItemImpl, ItemStruct, Lit, LitStr, PathArguments,
    ReturnType, Stmt, Type, parse_quote,
};

use crate::contract::Contract;
use crate::error::{Error, Result};
use crate::names::pascal_case;
use crate::states;
use crate::syntax::{constant, field_name, ident, module, self_type};

/// One parameter of a request.
struct Parameter {
    name: Ident,
    kind: Kind,
    /// The type of its value.
    value: Type,
    /// The marker for the missing parameter, and its type parameter; `None` if the parameter is optional.
    state: Option<State>,
}

struct State {
    missing: Ident,
    parameter: Ident,
}

enum Kind {
    Required,
    Optional,
    /// The builder of a body.
    Body,
}

/// Rewrites the requests. Each owns its client, so that it can be stored, sent from another task, and created
/// from a clone with options for one call. Each parameter is an `Argument`, which knows whether it was set.
pub(crate) fn rework(file: &mut syn::File, contract: &Contract) -> Result<()> {
    for item in &mut file.items {
        let Item::Impl(block) = item else { continue };
        for item in &mut block.items {
            if let ImplItem::Fn(method) = item {
                WithoutLifetimes.visit_return_type_mut(&mut method.sig.output);
            }
        }
    }
    let builder = module(&mut file.items, "builder")?;
    let (mut requests, mut missing) = (Vec::new(), states::Missing::new());
    for item in builder.iter() {
        let Item::Struct(request) = item else {
            continue;
        };
        let methods = builder.iter().find_map(|item| match item {
            Item::Impl(block) if self_type(block).as_ref() == Some(&request.ident) => Some(block),
            _ => None,
        });
        let methods = methods.ok_or_else(|| Error::form(format!("the request `{}` has no methods", request.ident)))?;
        let parameters = Parameter::all(request, contract)?;
        let states = parameters.iter().filter_map(|known| known.state.as_ref());
        let names = states.map(|state| state.missing.clone()).collect();
        missing.push((request.ident.clone(), names));
        requests.extend(rewritten(request, methods, &parameters)?);
    }
    requests.push(states::markers(&missing));
    *builder = requests;
    states::begin_requests(file, &missing)
}

fn rewritten(request: &ItemStruct, methods: &ItemImpl, parameters: &[Parameter]) -> Result<Vec<Item>> {
    let name = &request.ident;
    let names: Vec<&Ident> = parameters.iter().map(|known| &known.name).collect();
    let states: Vec<&State> = parameters.iter().filter_map(|known| known.state.as_ref()).collect();
    let missing: Vec<&Ident> = states.iter().map(|state| &state.missing).collect();
    let states: Vec<&Ident> = states.iter().map(|state| &state.parameter).collect();
    let others: Vec<Ident> = states
        .iter()
        .map(|state| ident(&format!("Other{state}")))
        .collect::<Result<_>>()?;
    let fields = parameters.iter().map(|parameter| -> syn::Field {
        let Parameter { name, value, .. } = parameter;
        parse_quote!(#name: crate::call::argument::Argument<#value>)
    });
    let beginnings = parameters.iter().map(|parameter| -> syn::FieldValue {
        let name = &parameter.name;
        match parameter.kind {
            Kind::Body => {
                parse_quote!(#name: crate::call::argument::Argument::Given(Default::default()))
            }
            _ => parse_quote!(#name: crate::call::argument::Argument::Missing),
        }
    });
    let setters = parameters.iter().flat_map(|parameter| parameter.setters(name, &states));
    let generated = methods.items.iter().find_map(|item| match item {
        ImplItem::Fn(function) if function.sig.ident == "send" => Some(function),
        _ => None,
    });
    let generated = generated.ok_or_else(|| Error::form(format!("the request `{name}` has no `send`")))?;
    let write_down = write_down(generated, parameters)?;
    let [send, send_blocking] = send(generated, name, &states)?;
    Ok(vec![
        parse_quote! {
            #[derive(Debug, Clone)]
            #[must_use = "nothing is sent until `send` is called"]
            pub struct #name<#(#states = Given,)* M = Async> {
                pub(crate) core: crate::call::core::ClientCore,
                #(#fields,)*
                mode: M,
                state: PhantomData<(#(#states,)*)>,
            }
        },
        parse_quote! {
            impl<#(#states,)* M> #name<#(#states,)* M> {
                #(#setters)*
                #write_down
                fn turned<#(#others,)* N>(self, turn: impl FnOnce(M) -> N) -> #name<#(#others,)* N> {
                    #name {
                        core: self.core,
                        #(#names: self.#names,)*
                        mode: turn(self.mode),
                        state: PhantomData,
                    }
                }
            }
        },
        parse_quote! {
            impl<M> #name<#(missing::#missing,)* M> {
                pub(crate) fn new(core: crate::call::core::ClientCore, mode: M) -> Self {
                    Self { core, #(#beginnings,)* mode, state: PhantomData }
                }
            }
        },
        parse_quote! {
            impl<#(#states),*> #name<#(#states,)*> {
                #send
            }
        },
        parse_quote! {
            #[cfg(feature = "blocking")]
            impl<#(#states),*> #name<#(#states,)* crate::blocking::Blocking> {
                #send_blocking
            }
        },
    ])
}

impl Parameter {
    /// Returns the parameters of a request.
    fn all(request: &ItemStruct, contract: &Contract) -> Result<Vec<Self>> {
        let fields = request.fields.iter();
        let fields = fields.filter(|field| field_name(field) != "client");
        let parameters = fields.map(Self::of).collect::<Result<Vec<_>>>()?;
        let named = |mut parameter: Self| {
            let missing = match parameter.kind {
                Kind::Optional => return Ok(parameter),
                Kind::Required => parameter.name.clone(),
                Kind::Body => ident(&states::body_in_short(&request.ident, contract)?)?,
            };
            parameter.state = Some(State {
                parameter: ident(&format!("{}State", pascal_case(&missing.to_string())))?,
                missing,
            });
            Ok(parameter)
        };
        parameters.into_iter().map(named).collect()
    }

    /// Parses progenitor's field: `Result<T, String>`, `Result<Option<T>, String>` or the builder of a body.
    fn of(field: &syn::Field) -> Result<Self> {
        let (name, form) = (field_name(field), || {
            Error::form(format!("the parameter `{}` is not a `Result`", field_name(field)))
        });
        let given = argument_of(&field.ty, "Result").ok_or_else(form)?;
        let (kind, value) = match (name.as_str(), argument_of(given, "Option")) {
            ("body", _) => (Kind::Body, given),
            (_, Some(value)) => (Kind::Optional, value),
            (_, None) => (Kind::Required, given),
        };
        Ok(Self {
            name: ident(&name)?,
            kind,
            value: value.clone(),
            state: None,
        })
    }

    /// Generates the methods that set the parameter on a request with these states.
    fn setters(&self, request: &Ident, states: &[&Ident]) -> Vec<ImplItem> {
        let Self { name, value, .. } = self;
        // The state that the method changes to `Given`.
        let own = self.state.as_ref().map(|state| &state.parameter);
        let states = states.iter().map(|state| -> Type {
            match own == Some(*state) {
                true => parse_quote!(Given),
                false => parse_quote!(#state),
            }
        });
        let given: Type = parse_quote!(#request<#(#states,)* M>);
        match self.kind {
            Kind::Required => vec![parse_quote! {
                pub fn #name<V>(mut self, value: V) -> #given
                where
                    V: ::std::convert::TryInto<#value>,
                    V::Error: ::std::fmt::Display,
                {
                    self.#name = crate::call::argument::Argument::of(value);
                    self.turned(|mode| mode)
                }
            }],
            Kind::Optional => vec![parse_quote! {
                pub fn #name<V, K>(mut self, value: V) -> Self
                where
                    V: crate::call::argument::OptionalArgument<#value, K>,
                {
                    self.#name = crate::call::argument::Argument::optionally(value);
                    self
                }
            }],
            Kind::Body => {
                let body = built(value);
                let whole = parse_quote! {
                    pub fn body<V>(mut self, value: V) -> #given
                    where
                        V: ::std::convert::TryInto<#body>,
                        V::Error: ::std::fmt::Display,
                    {
                        self.body = crate::call::argument::Argument::<#body>::of(value).map(From::from);
                        self.turned(|mode| mode)
                    }
                };
                let changed = parse_quote! {
                    pub fn body_map<F>(mut self, f: F) -> #given
                    where
                        F: ::std::ops::FnOnce(#value) -> #value,
                    {
                        self.body = self.body.map(f);
                        self.turned(|mode| mode)
                    }
                };
                vec![whole, changed]
            }
        }
    }

    /// Generates the statement that takes the value for a request.
    fn taken(&self) -> Stmt {
        let (name, text) = (&self.name, self.name.to_string());
        match self.kind {
            Kind::Required => parse_quote!(let #name = self.#name.required(#text)?;),
            Kind::Optional => parse_quote!(let #name = self.#name.optional(#text)?;),
            Kind::Body => {
                let body = built(&self.value);
                parse_quote! {
                    let #name = #body::try_from(self.#name.required(#text)?.clone())?;
                }
            }
        }
    }
}

/// Returns `T` of `Outer<T, …>`.
fn argument_of<'a>(of: &'a Type, outer: &str) -> Option<&'a Type> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == outer)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(first) => Some(first),
        _ => None,
    }
}

/// Returns `types::X` for its builder, `types::builder::X`.
fn built(builder: &Type) -> Type {
    let mut built = builder.clone();
    if let Type::Path(path) = &mut built {
        let segments = path.path.segments.iter();
        path.path.segments = segments.filter(|segment| segment.ident != "builder").cloned().collect();
    }
    built
}

/// Generates the method that builds the request for each attempt: the part of `send` before the sending.
fn write_down(generated: &ImplItemFn, parameters: &[Parameter]) -> Result<ImplItem> {
    let local = |name: &str| {
        let mut statements = generated.block.stmts.iter();
        let found = statements.find(|stmt| local_name(stmt).is_some_and(|local| local == name));
        found
            .cloned()
            .ok_or_else(|| Error::form(format!("a `send` does not define `{name}`")))
    };
    let (mut url, mut request) = (local("url")?, local("request")?);
    PlainIds.visit_stmt_mut(&mut url);
    OfCore.visit_stmt_mut(&mut request);
    let Stmt::Local(made) = &mut request else {
        return Err(Error::form("the `request` of a `send` is not a variable"));
    };
    made.attrs.clear();
    made.pat = parse_quote!(request);
    WithoutHeaderMap.visit_local_mut(made);
    OwnErrors.visit_local_mut(made);
    let taken = parameters.iter().map(Parameter::taken);
    let block: Block = parse_quote!({
        let core = &self.core;
        #(#taken)*
        #url
        #request
        Ok(request)
    });
    Ok(parse_quote! {
        fn request(&self) -> Result<::reqwest::Request, crate::error::Error> #block
    })
}

fn local_name(stmt: &Stmt) -> Option<&Ident> {
    let Stmt::Local(local) = stmt else {
        return None;
    };
    match &local.pat {
        syn::Pat::Ident(pattern) => Some(&pattern.ident),
        _ => None,
    }
}

/// Generates `send` with the success type and the documentation of the generated one, and a blocking one. The
/// bounds are on the methods: on the `impl` block, the compiler would not explain what is missing.
fn send(generated: &ImplItemFn, request: &Ident, states: &[&Ident]) -> Result<[ImplItem; 2]> {
    let success = success(&generated.sig.output).ok_or_else(|| Error::form("a `send` no longer returns a result"))?;
    let operation = constant(&operation_id(generated)?.value())?;
    let attrs = &generated.attrs;
    let awaited = parse_quote! {
        #(#attrs)*
        ///
        /// # Errors
        /// Any response other than a success, and no response at all: see [`Error`](crate::Error).
        pub async fn send(self) -> Result<#success, crate::error::Error>
        where
            #(#states: IsGiven),*
        {
            let request: #request = self.turned(|_| Async);
            let core = request.core.clone();
            let request = move || request.request();
            crate::call::send(core, &operations::#operation, Box::new(request)).await
        }
    };
    let unchanged = states.iter().map(|_| quote::quote!(Given));
    let blocking = parse_quote! {
        #(#attrs)*
        ///
        /// # Errors
        /// Any response other than a success, no response at all, and a call in async code: see
        /// [`Error`](crate::Error).
        pub fn send(self) -> Result<#success, crate::error::Error>
        where
            #(#states: IsGiven),*
        {
            let mode = self.mode.clone();
            let request = self.turned::<#(#unchanged,)* _>(|_| Async);
            mode.block_on(&operations::#operation, request.send())
        }
    };
    Ok([awaited, blocking])
}

/// Returns `T` of `-> Result<T, E>`.
fn success(output: &ReturnType) -> Option<&Type> {
    match output {
        ReturnType::Type(_, output) => argument_of(output, "Result"),
        ReturnType::Default => None,
    }
}

/// Returns the id in the `OperationInfo` that a generated `send` passes to the hooks.
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

struct WithoutLifetimes;

impl VisitMut for WithoutLifetimes {
    fn visit_path_segment_mut(&mut self, segment: &mut syn::PathSegment) {
        let only_lifetimes = matches!(&segment.arguments, PathArguments::AngleBracketed(arguments)
            if arguments.args.iter().all(|argument| matches!(argument, GenericArgument::Lifetime(_))));
        if only_lifetimes {
            segment.arguments = PathArguments::None;
        }
        visit_mut::visit_path_segment_mut(self, segment);
    }
}

/// Removes `.headers(header_map)` from a call chain: the contract has no header `api-version`.
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

/// Replaces `….build()?` with `….build().map_err(…)?`.
struct OwnErrors;

impl VisitMut for OwnErrors {
    fn visit_expr_try_mut(&mut self, tried: &mut syn::ExprTry) {
        let inner = &tried.expr;
        tried.expr = parse_quote!(#inner.map_err(crate::call::unsendable));
    }
}

/// Replaces progenitor's `client.baseurl` and `client.client` with `core.base_url` and `core.http`.
struct OfCore;

impl VisitMut for OfCore {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Field(field) = expr
            && matches!(&*field.base, Expr::Path(base) if base.path.is_ident("client"))
            && let syn::Member::Named(member) = &field.member
        {
            *expr = match member.to_string().as_str() {
                "baseurl" => parse_quote!(core.base_url),
                "client" => parse_quote!(core.http),
                _ => return,
            };
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}

/// Writes ids into the path without encoding: a number needs none.
struct PlainIds;

impl VisitMut for PlainIds {
    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let parse = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        let Ok(mut arguments) = mac.parse_body_with(parse) else {
            return;
        };
        for argument in &mut arguments {
            OfCore.visit_expr_mut(argument);
            if let Some(id) = encoded(argument).filter(|id| id.to_string().ends_with("_id")) {
                *argument = parse_quote!(#id);
            }
        }
        mac.tokens = parse_quote!(#arguments);
    }
}

/// Returns `x` of `encode_path(&x.to_string())`.
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
