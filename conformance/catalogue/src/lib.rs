//! The catalogue: every case, by what it is about.
//!
//! A file is named after its group: `limit.rs` holds `limit/*`, `search/text.rs` holds `search-text/*`. It begins with a
//! list that reads like a table of contents; the checks follow.
//! Ids are permanent. Bounds, codes and defaults come from the contract, never from here.

mod add;
mod auth;
mod error;
mod header;
mod item;
mod law;
mod limit;
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

pub use self::points::{Behaviour, MIXED, OTHER, Point, points};
pub use self::profile::{Observed, Profile, ProfileError};
use engine::case::Case;
use platform_contract::Contract;

/// A chapter of the catalogue: cases whose ids begin alike.
#[derive(Debug)]
pub struct Group {
    /// The first part of their ids.
    pub name: &'static str,
    /// What they are about.
    pub title: &'static str,
    cases: fn(&'static Contract) -> Vec<Case>,
}

impl Group {
    /// The cases of the chapter.
    pub fn cases(&self) -> Vec<Case> {
        self.cases_of(Contract::bundled())
    }

    fn cases_of(&self, contract: &'static Contract) -> Vec<Case> {
        let cases = (self.cases)(contract).into_iter();
        cases.map(|case| case.in_chapter(self.title)).collect()
    }
}

/// The chapters, in the order in which a reader wants them.
pub const GROUPS: &[Group] = &[
    Group {
        name: "limit",
        title: "Listing items: how many",
        cases: limit::cases,
    },
    Group {
        name: "skip",
        title: "Listing items: from where",
        cases: skip::cases,
    },
    Group {
        name: "paging",
        title: "Listing items: pages are cut from one collection",
        cases: paging::cases,
    },
    Group {
        name: "sort",
        title: "Listing items: the order",
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
        title: "Errors: what they contain, and which goes first",
        cases: error::cases,
    },
    Group {
        name: "search-limit",
        title: "Searching: how many, from where, and how far",
        cases: search::limit::cases,
    },
    Group {
        name: "search-text",
        title: "Searching: what is a text",
        cases: search::text::cases,
    },
    Group {
        name: "search-values",
        title: "Searching: what the filters take",
        cases: search::values::cases,
    },
    Group {
        name: "search-filter",
        title: "Searching: what the filters keep",
        cases: search::filter::cases,
    },
    Group {
        name: "search-headquarters",
        title: "Searching: which locations count",
        cases: search::headquarters::cases,
    },
    Group {
        name: "search-total",
        title: "Searching: how many there are",
        cases: search::total::cases,
    },
    Group {
        name: "search-ranking",
        title: "Searching: the order of what is found",
        cases: search::ranking::cases,
    },
    Group {
        name: "search-error",
        title: "Searching: what is refused",
        cases: search::error::cases,
    },
    Group {
        name: "law",
        title: "Random walks: laws that need no known data",
        cases: law::cases,
    },
    Group {
        name: "auth",
        title: "Who may call",
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
        title: "Every response, whatever it was asked for",
        cases: schema::cases,
    },
];

/// Every case, in the order of the chapters.
pub fn catalogue() -> Vec<Case> {
    catalogue_of(Contract::bundled())
}

/// Every case, with the bounds of this contract.
pub(crate) fn catalogue_of(contract: &'static Contract) -> Vec<Case> {
    GROUPS
        .iter()
        .flat_map(|group| group.cases_of(contract))
        .collect()
}
