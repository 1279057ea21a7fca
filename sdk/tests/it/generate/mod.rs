//! Makes the client from the contract.
//!
//! progenitor writes the calls and the types. Around it stand steps for what a generator cannot know:
//! before it, the [`document`] is made simpler where its words would make a worse client; after it, the
//! [`code`] is given the SDK's own errors, answers keep what is [`unknown`], requests for pages get their
//! walks ([`paging`]), all requests can be those of a [`mock`], and the [`docs`] are filled in from the
//! contract. Nothing here is compiled into an app.

mod code;
mod docs;
mod document;
mod mock;
mod paging;
mod samples;
mod schemas;
mod unknown;

use progenitor::{GenerationSettings, Generator, InterfaceStyle, TypeImpl};

use self::document::Contract;

const HEADER: &str = "\
// @generated from openapi.yaml by tests/it/generate. Do not edit: change the contract, then run
// `UPDATE_EXPECT=1 cargo test -p platform-sdk --test it generated`.

";

/// Types that are written by hand: ids that cannot be confused with one another, values of open lists
/// that must not cost an app a whole page, and parameters that should be easy to fill. Each name is
/// that of a schema, of an `x-type-name`, or of a list parameter.
const HAND_WRITTEN: &[(&str, &str)] = &[
    ("OrganizationId", "crate::OrganizationId"),
    ("ProductId", "crate::ProductId"),
    ("PipelineId", "crate::PipelineId"),
    ("PipelineItemId", "crate::PipelineItemId"),
    ("PersonId", "crate::PersonId"),
    ("DocumentId", "crate::DocumentId"),
    ("EntityType", "crate::EntityType"),
    ("ExecutionStatus", "crate::ExecutionStatus"),
    ("SyncStatus", "crate::SyncStatus"),
    ("ValueCategory", "crate::ValueCategory"),
    ("FundingStage", "crate::FundingStage"),
    ("ProblemCode", "crate::ProblemCode"),
    ("ResultValue", "crate::ResultValue"),
    ("DateBound", "crate::DateBound"),
    ("Countries", "crate::AnyOf<String>"),
    ("Regions", "crate::AnyOf<String>"),
    ("BusinessTypes", "crate::AnyOf<String>"),
    ("FundingStages", "crate::AnyOf<crate::FundingStage>"),
];

fn is_hand_written(name: &str) -> bool {
    HAND_WRITTEN.iter().any(|(schema, _)| *schema == name)
}

/// The text of `src/generated.rs` for a contract.
pub(crate) fn client(contract: &str) -> String {
    let source = platform_contract::Contract::parse(contract).unwrap();
    let contract = Contract::read(&source);
    let paged = paging::Paged::read(&source);
    let samples = samples::Samples::read(&source);
    let successes = mock::Success::read(&source);
    let document = document::simplify(source.document().clone());
    let document = serde_json::from_value(document).unwrap();

    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Builder)
        .with_inner_type("crate::client::Inner".parse().unwrap())
        .with_map_type("::std::collections::BTreeMap")
        .with_derive("PartialEq");
    for (schema, rust) in HAND_WRITTEN {
        settings.with_replacement(schema, rust, [TypeImpl::Display].into_iter());
    }
    let tokens = Generator::new(&settings)
        .generate_tokens(&document)
        .unwrap();

    let mut file: syn::File = syn::parse2(tokens).unwrap();
    code::rework(&mut file, &contract);
    schemas::derive(&mut file, &contract);
    unknown::keep(&mut file, &contract);
    paging::add_walks(&mut file, &paged);
    mock::add_expectations(&mut file, &successes);
    docs::fill_in(&mut file, &contract, &samples);
    format!("{HEADER}{}", prettyplease::unparse(&file))
}

/// The text of `src/mock/examples.rs` for a contract.
pub(crate) fn examples(contract: &str) -> String {
    let source = platform_contract::Contract::parse(contract).unwrap();
    format!("{HEADER}{}", mock::examples(&source))
}
