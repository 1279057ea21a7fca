//! The faults, one file for each family.
//!
//! A fault states in one sentence what is wrong, names the clause that it breaks, has a witness of requests that show
//! it, and changes as little as possible. The identifiers are those of the built-in data: pipeline 1 contains 1280
//! organizations, 2 a dozen, 3 persons, 4 documents, 5 has a CRM, 6 is for additions, 7 is empty.

mod adding;
mod aftermath;
mod authentication;
mod carried_out;
mod codes;
mod combined;
mod connections;
mod crm;
mod cross;
mod elsewhere;
mod encoding;
mod filters;
mod foreign;
mod headers;
mod in_one_place;
mod items;
mod kinds;
mod lifecycle;
mod limits;
mod meaning;
mod operations;
mod paging;
mod parameters;
mod precedence;
mod problems;
mod quotas;
mod ranking;
mod rare;
mod repeating;
mod schemas;
mod shown;
mod sorting;
mod state;
mod texts;
mod transfer;
mod wrapped;

use super::fault::{Family, Fault};

/// The families.
pub const FAMILIES: &[Family] = &[
    limits::FAMILY,
    paging::FAMILY,
    sorting::FAMILY,
    parameters::FAMILY,
    texts::FAMILY,
    filters::FAMILY,
    ranking::FAMILY,
    meaning::FAMILY,
    authentication::FAMILY,
    codes::FAMILY,
    precedence::FAMILY,
    problems::FAMILY,
    kinds::FAMILY,
    headers::FAMILY,
    connections::FAMILY,
    transfer::FAMILY,
    quotas::FAMILY,
    items::FAMILY,
    crm::FAMILY,
    cross::FAMILY,
    elsewhere::FAMILY,
    in_one_place::FAMILY,
    schemas::FAMILY,
    adding::FAMILY,
    carried_out::FAMILY,
    repeating::FAMILY,
    lifecycle::FAMILY,
    aftermath::FAMILY,
    state::FAMILY,
    encoding::FAMILY,
    operations::FAMILY,
    wrapped::FAMILY,
    combined::FAMILY,
    shown::FAMILY,
    rare::FAMILY,
    foreign::FAMILY,
];

/// Every fault, in the order of the families.
pub fn all() -> Vec<Fault> {
    let named = |family: &Family, mut fault: Fault| {
        fault.name = format!("{}/{}", family.name, fault.name);
        fault
    };
    let families = FAMILIES.iter();
    families
        .flat_map(|family| (family.faults)().into_iter().map(move |fault| named(family, fault)))
        .collect()
}
