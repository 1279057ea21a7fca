//! The catalogue: every case, grouped by subject.
//!
//! A file is named after its group: `limit.rs` contains `limit/*`, `search/text.rs` contains `search-text/*`. It
//! begins with a list that reads like a table of contents; the checks follow. Ids are permanent. Bounds, codes and
//! defaults come from the contract, never from this crate.

mod add;
mod auth;
mod error;
mod header;
mod item;
mod law;
mod limit;
mod measured;
mod paging;
mod parameter;
pub mod points;
pub mod profile;
mod rate_limit;
mod schema;
mod search;
mod skip;
mod sort;
mod support;

pub use self::measured::MEASURED_WALKS;
use self::measured::measured;
pub use self::points::{Behaviour, MIXED, OTHER, Point, points};
pub use self::profile::{Observed, Profile, ProfileError};
use engine::case::Case;
use platform_contract::Contract;

/// A chapter of the catalogue: cases whose ids share the first part.
#[derive(Debug)]
pub struct Group {
    /// The first part of the ids.
    pub name: &'static str,
    /// The subject of the cases.
    pub title: &'static str,
    cases: fn(&Contract) -> Vec<Case>,
}

impl Group {
    /// The cases of the chapter.
    pub fn cases(&self) -> Vec<Case> {
        self.cases_of(Contract::bundled())
    }

    fn cases_of(&self, contract: &Contract) -> Vec<Case> {
        let cases = (self.cases)(contract).into_iter();
        cases
            .map(|case| measured(read(case.in_chapter(self.title), contract)))
            .collect()
    }
}

/// The chapters, in reading order.
pub const GROUPS: &[Group] = &[
    Group {
        name: "limit",
        title: "Listing items: limit",
        cases: limit::cases,
    },
    Group {
        name: "skip",
        title: "Listing items: skip",
        cases: skip::cases,
    },
    Group {
        name: "paging",
        title: "Listing items: pages of one collection",
        cases: paging::cases,
    },
    Group {
        name: "sort",
        title: "Listing items: order",
        cases: sort::cases,
    },
    Group {
        name: "item",
        title: "Values and status of an item",
        cases: item::cases,
    },
    Group {
        name: "add",
        title: "Adding an organization",
        cases: add::cases,
    },
    Group {
        name: "parameter",
        title: "Parameters of the pipeline operations",
        cases: parameter::cases,
    },
    Group {
        name: "error",
        title: "Errors: contents and precedence",
        cases: error::cases,
    },
    Group {
        name: "search-limit",
        title: "Searching: limit and skip",
        cases: search::limit::cases,
    },
    Group {
        name: "search-text",
        title: "Searching: text",
        cases: search::text::cases,
    },
    Group {
        name: "search-values",
        title: "Searching: values of filters",
        cases: search::values::cases,
    },
    Group {
        name: "search-filter",
        title: "Searching: results of filters",
        cases: search::of_filters,
    },
    Group {
        name: "search-headquarters",
        title: "Searching: locations",
        cases: search::headquarters::cases,
    },
    Group {
        name: "search-total",
        title: "Searching: total_count",
        cases: search::total::cases,
    },
    Group {
        name: "search-ranking",
        title: "Searching: order of results",
        cases: search::of_rankings,
    },
    Group {
        name: "search-error",
        title: "Searching: errors",
        cases: search::error::cases,
    },
    Group {
        name: "law",
        title: "Property tests: laws that need no known data",
        cases: law::cases,
    },
    Group {
        name: "auth",
        title: "Authentication and permission",
        cases: auth::cases,
    },
    Group {
        name: "rate-limit",
        title: "Quotas",
        cases: rate_limit::cases,
    },
    Group {
        name: "header",
        title: "Headers, unknown routes and methods",
        cases: header::cases,
    },
    Group {
        name: "schema",
        title: "Every response that any case received",
        cases: schema::cases,
    },
];

/// Returns the case with its clauses. Panics if a case cites something that the contract does not have: a fault of the
/// catalogue, which every test builds.
fn read(case: Case, contract: &Contract) -> Case {
    let id = case.id.clone();
    case.read_in(contract)
        .unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// Every case, in the order of the chapters.
pub fn catalogue() -> Vec<Case> {
    catalogue_of(Contract::bundled())
}

/// Every case, with the bounds of this contract.
pub(crate) fn catalogue_of(contract: &Contract) -> Vec<Case> {
    GROUPS
        .iter()
        .flat_map(|group| group.cases_of(contract))
        .collect()
}
