//! Generates the client of `platform-sdk` from `openapi.yaml`.
//!
//! progenitor writes the calls and the types; this crate changes its output, because behaviour cannot enter a client
//! by progenitor's hooks alone. A request is split from its sending, so that a call can be attempted more than once
//! and an error keeps its status whatever its body is. Requests own their client, so that one can be stored and sent
//! from another task. The type of a request has a parameter for each required one of the contract, so that a request
//! without it does not compile, and one for how it is sent, so that callers that block have the same requests. Types of
//! responses lose their builders, tolerate missing and unknown fields, are `Eq` and `Hash` where they can be, and read times
//! without an offset. Requests for pages get a walk, all requests can be those of a mock, and every public item gets
//! documentation with an example that compiles.
//!
//! It contains no behaviour of the client, which is in `platform-sdk`, and nothing that the contract says: what the
//! contract lacks is an [`Error`] that names the operation and the place, never a default made up here. An app that
//! uses the SDK does not build this crate, because its output is committed.
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

/// Types that are written by hand: ids that cannot be confused with one another, values of open lists
/// that must not cost an app a whole page, and parameters that should be easy to fill. Each name is
/// that of a schema, of an `x-type-name`, or of a list parameter.
const HAND_WRITTEN: &[(&str, &str)] = &[
    ("OrganizationId", "crate::types::ids::OrganizationId"),
    ("ProductId", "crate::types::ids::ProductId"),
    ("PipelineId", "crate::types::ids::PipelineId"),
    ("PipelineItemId", "crate::types::ids::PipelineItemId"),
    ("PersonId", "crate::types::ids::PersonId"),
    ("DocumentId", "crate::types::ids::DocumentId"),
    ("EntityType", "crate::types::open_enums::EntityType"),
    (
        "ExecutionStatus",
        "crate::types::open_enums::ExecutionStatus",
    ),
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

/// Generates the client for the text of a contract.
///
/// # Errors
/// [`Error`], when the contract lacks what a client needs.
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

/// What progenitor makes of the simplified contract.
fn written_by_progenitor(source: &Source) -> Result<syn::File> {
    let document = simplify::simplify(source.document().clone());
    let document = serde_json::from_value(document).map_err(|error| {
        Error::Progenitor(format!("it is not a document of OpenAPI 3.0: {error}"))
    })?;
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
    syn::parse2(tokens).map_err(|error| Error::form(format!("it does not parse: {error}")))
}
