//! Generates the client of `platform-sdk` from `openapi.yaml`.
//!
//! progenitor generates the calls and the types. This crate rewrites its output, because progenitor's hooks
//! are not enough to add the behaviour of the client:
//!
//! - Building a request is separate from sending it, so that a call can be retried and an error keeps its
//!   status, whatever its body is.
//! - Requests own their client, so that they can be stored and sent from another task.
//! - A request has a type parameter for each required parameter of the contract, so that a request without
//!   one does not compile. Another type parameter selects async or blocking, so that both share the same
//!   requests.
//! - Response types have no builders, tolerate missing and unknown fields, implement `Eq` and `Hash` where
//!   possible, and accept times without an offset.
//! - Paged requests have a walk, all requests work with mocks, and every public item has documentation with
//!   an example that compiles.
//!
//! The behaviour of the client is in `platform-sdk`, not here. Facts come only from the contract: if it lacks
//! one, the result is an [`Error`] with the operation and the place, never a default. Apps that use the SDK
//! do not build this crate, because its output is committed.
//!
//! ```no_run
//! let contract = std::fs::read_to_string("openapi.yaml")?;
//! let client = platform_sdk_codegen::generate(&contract)?;
//! client.write("sdk/src/generated".as_ref())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bodies;
mod code;
mod contract;
mod docs;
mod error;
mod files;
mod filters;
mod layout;
mod mock;
mod names;
mod paging;
mod problems;
mod requests;
mod samples;
mod schemas;
mod simplify;
mod states;
mod syntax;
mod traits;
mod unknown;

use platform_contract::Contract as Source;
use progenitor::{GenerationSettings, Generator, InterfaceStyle, TypeImpl};

use self::contract::Contract;
use self::error::Result;

pub use self::error::{Error, Fault};
pub use self::files::{Client, Difference};

/// Hand-written types: ids that cannot be confused, open lists whose unknown values must not make a whole
/// page unreadable, and parameters that are easy to set. Each name is that of a schema, an `x-type-name`
/// or a list parameter.
const HAND_WRITTEN: &[(&str, &str)] = &[
    ("OrganizationId", "crate::types::ids::OrganizationId"),
    ("ProductId", "crate::types::ids::ProductId"),
    ("PipelineId", "crate::types::ids::PipelineId"),
    ("PipelineItemId", "crate::types::ids::PipelineItemId"),
    ("PersonId", "crate::types::ids::PersonId"),
    ("DocumentId", "crate::types::ids::DocumentId"),
    ("EntityType", "crate::types::open_enums::EntityType"),
    ("ExecutionStatus", "crate::types::open_enums::ExecutionStatus"),
    ("SyncStatus", "crate::types::open_enums::SyncStatus"),
    ("ValueCategory", "crate::types::open_enums::ValueCategory"),
    ("FundingStage", "crate::types::open_enums::FundingStage"),
    ("ProblemCode", "crate::generated::problem_code::ProblemCode"),
    ("ResultValue", "crate::types::result_value::ResultValue"),
    ("DateBound", "crate::types::date_bound::DateBound"),
    ("Countries", "crate::types::any_of::AnyOf<String>"),
    ("Regions", "crate::types::any_of::AnyOf<String>"),
    ("BusinessTypes", "crate::types::any_of::AnyOf<String>"),
    (
        "FundingStages",
        "crate::types::any_of::AnyOf<crate::types::open_enums::FundingStage>",
    ),
];

fn is_hand_written(name: &str) -> bool {
    HAND_WRITTEN.iter().any(|(schema, _)| *schema == name)
}

/// Generates the client from the text of a contract.
///
/// # Errors
/// [`Error`] if the contract lacks what a client needs.
pub fn generate(contract: &str) -> Result<Client> {
    let source = Source::parse(contract)?;
    let contract = Contract::read(&source)?;
    let paged = paging::Paged::read(&source)?;
    let samples = samples::Samples::read(&source);

    let mut file = written_by_progenitor(&source)?;
    code::rework(&mut file, &contract)?;
    requests::rework(&mut file, &contract)?;
    bodies::rework(&mut file, &contract)?;
    schemas::derive(&mut file, &contract)?;
    unknown::keep(&mut file, &contract)?;
    traits::add(&mut file, &contract)?;
    paging::add_walks(&mut file, &paged)?;
    mock::add_expectations(&mut file, &contract)?;
    filters::add(&mut file, &contract)?;
    docs::fill_in(&mut file, &contract, &samples)?;

    let mut client = Client::default();
    layout::lay_out(file, &mut client)?;
    client.add("problem_code.rs", &problems::codes(&source)?);
    mock::examples(&source, &paged, &mut client)?;
    Ok(client)
}

/// Returns progenitor's output for the simplified contract.
fn written_by_progenitor(source: &Source) -> Result<syn::File> {
    let document = simplify::simplify(source.document().clone());
    let document = serde_json::from_value(document)
        .map_err(|error| Error::Progenitor(format!("not an OpenAPI 3.0 document: {error}")))?;
    let inner = "()".parse();
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Builder)
        .with_inner_type(inner.map_err(|error| Error::form(format!("the inner type: {error}")))?)
        .with_map_type("::std::collections::BTreeMap")
        .with_derive("PartialEq");
    for (schema, rust) in HAND_WRITTEN {
        settings.with_replacement(schema, rust, [TypeImpl::Display].into_iter());
    }
    let tokens = Generator::new(&settings).generate_tokens(&document);
    let tokens = tokens.map_err(|error| Error::Progenitor(error.to_string()))?;
    syn::parse2(tokens).map_err(|error| Error::form(format!("the output does not parse: {error}")))
}
