//! The catalogue: every case, by what it is about.
//!
//! A file holds the cases of one subject: a list that reads like a table of contents, then the checks.
//! Ids are permanent. Bounds, codes and defaults come from the contract, never from here.

mod list_limits;
mod responses;

use crate::case::Case;
use crate::contract::Contract;

/// A chapter of the catalogue: cases whose ids begin alike.
#[derive(Debug)]
pub struct Group {
    /// The first part of their ids.
    pub name: &'static str,
    /// What they are about.
    pub title: &'static str,
    cases: fn(&Contract) -> Vec<Case>,
}

/// The chapters, in the order in which a reader wants them.
pub const GROUPS: &[Group] = &[
    Group {
        name: "limit",
        title: "Listing items: how many, and from where",
        cases: list_limits::cases,
    },
    Group {
        name: "schema",
        title: "Every response, whatever it was asked for",
        cases: responses::cases,
    },
];

/// Every case, in the order of the chapters.
pub fn catalogue() -> Vec<Case> {
    GROUPS
        .iter()
        .flat_map(|group| (group.cases)(Contract::bundled()))
        .collect()
}
