//! The catalogue: every case, by what it is about.
//!
//! A file holds the cases of one subject: a list that reads like a table of contents, then the checks.
//! Ids are permanent. Bounds, codes and defaults come from the contract, never from here.

mod add_organization;
mod any_operation;
mod authentication;
mod column_values;
mod error_contents;
mod error_precedence;
mod head_and_options;
mod headers;
mod hostile_input;
mod item_values;
mod list_limits;
mod list_paging;
mod list_sort_parameters;
mod list_sorting;
mod parameters;
pub mod points;
pub mod profile;
mod random_listing;
mod random_reads;
mod random_search;
mod rate_limits;
mod request_lengths;
mod responses;
mod search_calls;
mod search_errors;
mod search_filters;
mod search_headquarters;
mod search_keeps;
mod search_limits;
mod search_order;
mod search_ranking;
mod search_seen;
mod search_text;
mod search_totals;
mod search_values;

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
        cases: list_limits::limit,
    },
    Group {
        name: "skip",
        title: "Listing items: from where",
        cases: list_limits::skip,
    },
    Group {
        name: "paging",
        title: "Listing items: pages are cut from one collection",
        cases: list_paging::cases,
    },
    Group {
        name: "sort",
        title: "Listing items: the order",
        cases: list_sorting::cases,
    },
    Group {
        name: "item",
        title: "Values and status of an item",
        cases: item_values::cases,
    },
    Group {
        name: "add",
        title: "Adding an organization",
        cases: add_organization::cases,
    },
    Group {
        name: "parameter",
        title: "Parameters of the pipeline operations",
        cases: parameters::cases,
    },
    Group {
        name: "error",
        title: "Errors: what they contain, and which goes first",
        cases: errors,
    },
    Group {
        name: "search-limit",
        title: "Searching: how many, from where, and how far",
        cases: search_limits::cases,
    },
    Group {
        name: "search-text",
        title: "Searching: what is a text",
        cases: search_text::cases,
    },
    Group {
        name: "search-values",
        title: "Searching: what the filters take",
        cases: search_values::cases,
    },
    Group {
        name: "search-filter",
        title: "Searching: what the filters keep",
        cases: search_filters::cases,
    },
    Group {
        name: "search-headquarters",
        title: "Searching: which locations count",
        cases: search_headquarters::cases,
    },
    Group {
        name: "search-total",
        title: "Searching: how many there are",
        cases: search_totals::cases,
    },
    Group {
        name: "search-ranking",
        title: "Searching: the order of what is found",
        cases: search_ranking::cases,
    },
    Group {
        name: "search-error",
        title: "Searching: what is refused",
        cases: search_errors::cases,
    },
    Group {
        name: "law",
        title: "Random walks: laws that need no known data",
        cases: random_walks,
    },
    Group {
        name: "auth",
        title: "Who may call",
        cases: authentication::cases,
    },
    Group {
        name: "rate-limit",
        title: "Quotas",
        cases: rate_limits::cases,
    },
    Group {
        name: "header",
        title: "Headers, unknown routes and methods",
        cases: transport,
    },
    Group {
        name: "schema",
        title: "Every response, whatever it was asked for",
        cases: responses::cases,
    },
];

fn errors(contract: &'static Contract) -> Vec<Case> {
    let mut cases = error_precedence::cases(contract);
    cases.extend(error_contents::cases(contract));
    cases
}

fn transport(contract: &'static Contract) -> Vec<Case> {
    let mut cases = headers::cases(contract);
    cases.extend(head_and_options::cases(contract));
    cases.extend(request_lengths::cases());
    cases
}

fn random_walks(contract: &'static Contract) -> Vec<Case> {
    let chapters = [
        random_listing::cases(contract),
        random_reads::cases(contract),
        random_search::cases(contract),
        hostile_input::cases(contract),
    ];
    chapters.into_iter().flatten().collect()
}

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
