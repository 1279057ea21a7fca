//! Legal variants that share no code with the reference server: two deployments written only from the source
//! description, with other habits where it is silent.

use axum::Router;

use super::{Variant, variant};
use crate::fault::{EVERY_OPERATION, operation, property, response};
use crate::foreign::asgi::habits::{Errors, Habits as Asgi, Missing, OverMaximum, QuestionIds, Search, Times};
use crate::foreign::servlet;
use crate::foreign::servlet::habits::{self, Habits as Servlet, Malformed, Repeated};
use crate::foreign::{ASGI, Deployment, SERVLET, asgi};

pub(super) fn variants() -> Vec<Variant> {
    asgis().into_iter().chain(servlets()).collect()
}

/// A variant of a deployment, checked only against what is stated.
fn of(
    deployment: Deployment,
    router: impl Fn() -> Router + Send + Sync + 'static,
    (name, clause, differs): (&'static str, String, &'static str),
) -> Variant {
    let variant = variant(name, clause, differs).stated();
    variant.layer(move |_, _| router()).known(deployment.target)
}

fn asgis() -> Vec<Variant> {
    let like =
        |name, clause: String, differs, habits: Asgi| of(ASGI, move || asgi::router(habits), (name, clause, differs));
    let usual = Asgi::default();
    let limit = || response("list_items", 422);
    let sorted = || operation("list_items");
    let added = |status| response("add_organization", status);
    vec![
        like(
            "foreign/asgi",
            EVERY_OPERATION.to_owned(),
            "Another deployment, with the habits of a Python framework.",
            usual,
        ),
        like(
            "foreign/asgi-large",
            limit(),
            "A pipeline has more items than a page may have.",
            Asgi { many: 1050, ..usual },
        ),
        like(
            "foreign/asgi-clamps",
            limit(),
            "A limit above the maximum is the maximum.",
            Asgi {
                many: 1050,
                over_maximum: OverMaximum::Clamped,
                ..usual
            },
        ),
        like(
            "foreign/asgi-limit-default",
            limit(),
            "A limit above the maximum is the default.",
            Asgi {
                over_maximum: OverMaximum::Default,
                ..usual
            },
        ),
        like(
            "foreign/asgi-html-errors",
            response("list_items", 404),
            "Errors are pages of HTML.",
            Asgi {
                errors: Errors::Html,
                ..usual
            },
        ),
        like(
            "foreign/asgi-bare-errors",
            response("list_items", 404),
            "Errors have no body.",
            Asgi {
                errors: Errors::Nothing,
                ..usual
            },
        ),
        like(
            "foreign/asgi-bad-request",
            response("list_items", 422),
            "A malformed value is answered 400.",
            Asgi {
                malformed: 400,
                refusals: (409, 404, 422),
                ..usual
            },
        ),
        like(
            "foreign/asgi-unknown-key",
            response("list_items", 401),
            "A key that is not known is answered 401.",
            Asgi {
                unknown_key: 401,
                ..usual
            },
        ),
        like(
            "foreign/asgi-searches-keyed",
            EVERY_OPERATION.to_owned(),
            "Searches need a key, and have pages of their own form.",
            Asgi {
                search: Search::Keyed,
                ..usual
            },
        ),
        like(
            "foreign/asgi-missing-first",
            sorted(),
            "Items without a value come first in both orders.",
            Asgi {
                missing: Missing::First,
                ..usual
            },
        ),
        like(
            "foreign/asgi-missing-last",
            sorted(),
            "Items without a value come last in both orders, and ties are reversed.",
            Asgi {
                missing: Missing::Last,
                ..usual
            },
        ),
        like(
            "foreign/asgi-uuids",
            "/components/schemas/QuestionColumnId".to_owned(),
            "The ids of questions are UUIDs.",
            Asgi {
                question_ids: QuestionIds::Uuids,
                ..usual
            },
        ),
        like(
            "foreign/asgi-basic-times",
            property("ColumnValue", "last_synced_at"),
            "Times have the basic form of ISO 8601.",
            Asgi {
                times: Times::Basic,
                ..usual
            },
        ),
        like(
            "foreign/asgi-short-times",
            property("ColumnValue", "last_synced_at"),
            "Times have no seconds, and an offset of hours.",
            Asgi {
                times: Times::Offset,
                ..usual
            },
        ),
        like(
            "foreign/asgi-asks-again",
            property("ItemStatus", "custom_questions_answered"),
            "A question that failed is asked again: it is not answered.",
            Asgi {
                retries_failed: true,
                ..usual
            },
        ),
        like(
            "foreign/asgi-indexed",
            property("ItemStatus", "document_indexed"),
            "An item without a document is indexed, and ties keep their order.",
            Asgi {
                indexes_nothing: true,
                mirrors_ties: false,
                ..usual
            },
        ),
        like(
            "foreign/asgi-looks-up-first",
            EVERY_OPERATION.to_owned(),
            "A pipeline is looked up before the policies are evaluated.",
            Asgi {
                looks_up_first: true,
                ..usual
            },
        ),
        like(
            "foreign/asgi-conflicts",
            added(409),
            "An addition is refused with other statuses.",
            Asgi {
                refusals: (412, 410, 409),
                ..usual
            },
        ),
        like(
            "foreign/asgi-added-document",
            added(201),
            "The response to an addition calls the new item a document.",
            Asgi {
                added_is: "document",
                ..usual
            },
        ),
        like(
            "foreign/asgi-hides-methods",
            operation("list_items"),
            "A method that a route lacks is answered 404.",
            Asgi {
                hides_methods: true,
                ..usual
            },
        ),
    ]
}

fn servlets() -> Vec<Variant> {
    let like = |name, clause: String, differs, habits: Servlet| {
        of(SERVLET, move || servlet::router(habits), (name, clause, differs))
    };
    let usual = Servlet::default();
    let bad_value = || response("list_items", 422);
    vec![
        like(
            "foreign/servlet",
            EVERY_OPERATION.to_owned(),
            "Another deployment, with the habits of a Java framework.",
            usual,
        ),
        like(
            "foreign/servlet-text-errors",
            response("list_items", 404),
            "Errors are lines of text.",
            Servlet {
                error: habits::text_error,
                ..usual
            },
        ),
        like(
            "foreign/servlet-listed-errors",
            response("list_items", 404),
            "Errors are lists with codes that are numbers.",
            Servlet {
                error: habits::listed_error,
                ..usual
            },
        ),
        like(
            "foreign/servlet-last-value",
            bad_value(),
            "Of a parameter that is repeated the last value counts.",
            Servlet {
                repeated: Repeated::Last,
                ..usual
            },
        ),
        like(
            "foreign/servlet-strict",
            bad_value(),
            "Repeated and unknown parameters and keys are bad requests.",
            Servlet {
                repeated: Repeated::Refused,
                refuses_unknown: true,
                ignores_keys: false,
                ..usual
            },
        ),
        like(
            "foreign/servlet-lenient",
            bad_value(),
            "A malformed value is treated as if it were absent.",
            Servlet {
                malformed: Malformed::Default,
                ..usual
            },
        ),
        like(
            "foreign/servlet-bare",
            "/components/headers/X-Request-Id".to_owned(),
            "Responses have no headers that need not be, and 405 names no method.",
            Servlet {
                headers: &[],
                allow: false,
                ..usual
            },
        ),
        like(
            "foreign/servlet-no-slash",
            EVERY_OPERATION.to_owned(),
            "A path with a slash at its end is unknown, and unknown routes need no key.",
            Servlet {
                trailing_slash: false,
                routes_first: true,
                ..usual
            },
        ),
        like(
            "foreign/servlet-sorts-texts",
            operation("list_items"),
            "Numbers are sorted as texts, and items without a value come last.",
            Servlet {
                sorts_texts: true,
                missing_first: false,
                ..usual
            },
        ),
        like(
            "foreign/servlet-other-refusals",
            response("add_organization", 409),
            "An addition is refused with other statuses.",
            Servlet {
                refusals: [409, 422, 410, 400],
                ..usual
            },
        ),
    ]
}
