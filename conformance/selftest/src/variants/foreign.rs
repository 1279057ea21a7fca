//! Legal variants that share no code with the reference server: two deployments written only from the source
//! description, with other habits where it is silent.

use std::sync::Arc;

use axum::Router;

use super::{Layer, Variant, variant};
use crate::fault::{EVERY_OPERATION, operation, property, response};
use crate::foreign::asgi::habits::{Errors, Habits as Asgi, Missing, OverMaximum, QuestionIds, Search, Times};
use crate::foreign::servlet;
use crate::foreign::servlet::habits::{self, Habits as Servlet, Malformed, Repeated};
use crate::foreign::{ASGI, Deployment, SERVLET, asgi};

pub(super) fn variants() -> Vec<Variant> {
    asgis().into_iter().chain(servlets()).collect()
}

/// A deployment of another origin, and what it decides differently than usual.
#[derive(Clone)]
pub(super) enum Foreign {
    Asgi(Vec<fn(&mut Asgi)>),
    Servlet(Vec<fn(&mut Servlet)>),
}

impl Foreign {
    fn router(&self) -> Router {
        match self {
            Self::Asgi(changes) => asgi::router(with(changes)),
            Self::Servlet(changes) => servlet::router(with(changes)),
        }
    }

    /// One deployment with the decisions of both; `None` if they are of different origins.
    pub(super) fn and(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Asgi(one), Self::Asgi(other)) => Some(Self::Asgi([one.as_slice(), other].concat())),
            (Self::Servlet(one), Self::Servlet(other)) => Some(Self::Servlet([one.as_slice(), other].concat())),
            _ => None,
        }
    }
}

fn with<Habits: Default>(changes: &[fn(&mut Habits)]) -> Habits {
    let mut habits = Habits::default();
    changes.iter().for_each(|change| change(&mut habits));
    habits
}

impl Variant {
    /// Takes the place of the reference server.
    pub(super) fn of_origin(self, foreign: Foreign) -> Self {
        let served = foreign.clone();
        let in_its_place = Layer::Around(Arc::new(move |_, _| served.router()));
        Self {
            layers: vec![in_its_place],
            foreign: Some(foreign),
            ..self
        }
    }
}

/// A variant of a deployment, checked only against what is stated.
fn of(
    deployment: Deployment,
    foreign: Foreign,
    (name, clause, differs): (&'static str, String, &'static str),
) -> Variant {
    let variant = variant(name, clause, differs).stated();
    variant.known(deployment.target).of_origin(foreign)
}

fn asgis() -> Vec<Variant> {
    let like = |name, clause: String, differs, change: fn(&mut Asgi)| {
        of(ASGI, Foreign::Asgi(vec![change]), (name, clause, differs))
    };
    let limit = || response("list_items", 422);
    let sorted = || operation("list_items");
    let added = |status| response("add_organization", status);
    vec![
        like(
            "foreign/asgi",
            EVERY_OPERATION.to_owned(),
            "Another deployment, with the habits of a Python framework.",
            |_| (),
        ),
        like(
            "foreign/asgi-large",
            limit(),
            "A pipeline has more items than a page may have.",
            |habits| habits.many = 1050,
        ),
        like(
            "foreign/asgi-clamps",
            limit(),
            "A limit above the maximum is the maximum.",
            |habits| {
                habits.many = 1050;
                habits.over_maximum = OverMaximum::Clamped;
            },
        ),
        like(
            "foreign/asgi-limit-default",
            limit(),
            "A limit above the maximum is the default.",
            |habits| habits.over_maximum = OverMaximum::Default,
        ),
        like(
            "foreign/asgi-html-errors",
            response("list_items", 404),
            "Errors are pages of HTML.",
            |habits| habits.errors = Errors::Html,
        ),
        like(
            "foreign/asgi-bare-errors",
            response("list_items", 404),
            "Errors have no body.",
            |habits| habits.errors = Errors::Nothing,
        ),
        like(
            "foreign/asgi-bad-request",
            response("list_items", 422),
            "A malformed value gets 400.",
            |habits| {
                habits.malformed = 400;
                habits.rejections = (409, 404, 422);
            },
        ),
        like(
            "foreign/asgi-unknown-key",
            response("list_items", 401),
            "A key that is not known gets 401.",
            |habits| habits.unknown_key = 401,
        ),
        like(
            "foreign/asgi-searches-keyed",
            EVERY_OPERATION.to_owned(),
            "Searches need a key, and have pages of their own form.",
            |habits| habits.search = Search::Keyed,
        ),
        like(
            "foreign/asgi-missing-first",
            sorted(),
            "Items without a value come first in both orders.",
            |habits| habits.missing = Missing::First,
        ),
        like(
            "foreign/asgi-missing-last",
            sorted(),
            "Items without a value come last in both orders, and ties are reversed.",
            |habits| habits.missing = Missing::Last,
        ),
        like(
            "foreign/asgi-uuids",
            "/components/schemas/QuestionColumnId".to_owned(),
            "The ids of questions are UUIDs.",
            |habits| habits.question_ids = QuestionIds::Uuids,
        ),
        like(
            "foreign/asgi-basic-times",
            property("ColumnValue", "last_synced_at"),
            "Times have the basic form of ISO 8601.",
            |habits| habits.times = Times::Basic,
        ),
        like(
            "foreign/asgi-short-times",
            property("ColumnValue", "last_synced_at"),
            "Times have no seconds, and an offset of hours.",
            |habits| habits.times = Times::Offset,
        ),
        like(
            "foreign/asgi-asks-again",
            property("ItemStatus", "custom_questions_answered"),
            "A question that failed is asked again: it is not answered.",
            |habits| habits.retries_failed = true,
        ),
        like(
            "foreign/asgi-organization-first",
            added(404),
            "An unknown organization is not found, whatever the pipeline is.",
            |habits| habits.finds_organizations_first = true,
        ),
        like(
            "foreign/asgi-indexed",
            property("ItemStatus", "document_indexed"),
            "An item without a document is indexed, and ties keep their order.",
            |habits| {
                habits.indexes_nothing = true;
                habits.mirrors_ties = false;
            },
        ),
        like(
            "foreign/asgi-looks-up-first",
            EVERY_OPERATION.to_owned(),
            "A pipeline is looked up before the policies are evaluated.",
            |habits| habits.looks_up_first = true,
        ),
        like(
            "foreign/asgi-conflicts",
            added(409),
            "An addition is rejected with other statuses.",
            |habits| habits.rejections = (412, 410, 409),
        ),
        like(
            "foreign/asgi-added-document",
            added(201),
            "The response to an addition calls the new item a document.",
            |habits| habits.added_is = "document",
        ),
        like(
            "foreign/asgi-hides-methods",
            operation("list_items"),
            "A method that a route lacks gets 404.",
            |habits| habits.hides_methods = true,
        ),
    ]
}

fn servlets() -> Vec<Variant> {
    let like = |name, clause: String, differs, change: fn(&mut Servlet)| {
        of(SERVLET, Foreign::Servlet(vec![change]), (name, clause, differs))
    };
    let bad_value = || response("list_items", 422);
    vec![
        like(
            "foreign/servlet",
            EVERY_OPERATION.to_owned(),
            "Another deployment, with the habits of a Java framework.",
            |_| (),
        ),
        like(
            "foreign/servlet-text-errors",
            response("list_items", 404),
            "Errors are lines of text.",
            |habits| habits.error = habits::text_error,
        ),
        like(
            "foreign/servlet-listed-errors",
            response("list_items", 404),
            "Errors are lists with codes that are numbers.",
            |habits| habits.error = habits::listed_error,
        ),
        like(
            "foreign/servlet-last-value",
            bad_value(),
            "Of a parameter that is repeated the last value counts.",
            |habits| habits.repeated = Repeated::Last,
        ),
        like(
            "foreign/servlet-strict",
            bad_value(),
            "Repeated and unknown parameters and keys are bad requests.",
            |habits| {
                habits.repeated = Repeated::Rejected;
                habits.rejects_unknown = true;
                habits.ignores_keys = false;
            },
        ),
        like(
            "foreign/servlet-lenient",
            bad_value(),
            "A malformed value is treated as if it were absent.",
            |habits| habits.malformed = Malformed::Default,
        ),
        like(
            "foreign/servlet-bare",
            "/components/headers/X-Request-Id".to_owned(),
            "Responses have no headers that need not be, and 405 names no method.",
            |habits| {
                habits.headers = &[];
                habits.allow = false;
            },
        ),
        like(
            "foreign/servlet-no-slash",
            EVERY_OPERATION.to_owned(),
            "A path with a slash at its end is unknown, and unknown routes need no key.",
            |habits| {
                habits.trailing_slash = false;
                habits.routes_first = true;
            },
        ),
        like(
            "foreign/servlet-sorts-texts",
            operation("list_items"),
            "Texts are sorted without regard to case, and items without a value come last.",
            |habits| {
                habits.sorts_texts = true;
                habits.missing_first = false;
            },
        ),
        like(
            "foreign/servlet-other-refusals",
            response("add_organization", 409),
            "An addition is rejected with other statuses.",
            |habits| habits.rejections = [409, 422, 410, 400],
        ),
    ]
}
