//! Errors whose bodies are not valid problems.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use crate::exchange::Answered;
use crate::fault::{EVERY_OPERATION, Family, Fault, fault, property};
use crate::witness::{add, add_organization, get};

pub(super) const FAMILY: Family = Family {
    name: "problem",
    title: "The bodies of errors",
    faults,
};

fn faults() -> Vec<Fault> {
    let mut faults = members();
    faults.extend(secrets());
    faults
}

/// Contents that no error may have.
fn secrets() -> Vec<Fault> {
    let unknown = || [get("/api/v1/pipelines/2/items").key("nobody-knows-this-key")];
    let malformed = || [get("/api/v1/pipelines/2/items?limit=NaN")];
    vec![
        fault("key-is-repeated", EVERY_OPERATION, "An error repeats an unknown key.")
            .shown_by(unknown())
            .answer(|asked, answered| {
                let key = asked.header("api-key").unwrap_or_default().to_owned();
                if answered.code() == "invalid_api_key" {
                    answered.json()["detail"] = json!(format!("The key {key:?} is not known."));
                }
            }),
        fault(
            "denied-key-is-repeated",
            EVERY_OPERATION,
            "A rejection repeats the key that is denied.",
        )
        .shown_by([get("/api/v1/pipelines/2/items").key("dev-no-access")])
        .answer(|asked, answered| {
            let key = asked.header("api-key").unwrap_or_default().to_owned();
            if answered.code() == "authorization_denied" {
                answered.json()["detail"] = json!(format!("The key {key} may not do this."));
            }
        }),
        fault(
            "key-is-repeated-in-part",
            EVERY_OPERATION,
            "An error repeats the first two thirds of an unknown key.",
        )
        .shown_by(unknown())
        .answer(|asked, answered| {
            let key = asked.header("api-key").unwrap_or_default().to_owned();
            let part: String = key.chars().take(key.len() * 2 / 3).collect();
            if answered.code() == "invalid_api_key" {
                answered.json()["detail"] = json!(format!("The key {part}... is not known."));
            }
        }),
        fault(
            "beginning-of-the-key-is-shown",
            EVERY_OPERATION,
            "An error shows the first ten characters of an unknown key.",
        )
        .shown_by(unknown())
        .answer(|asked, answered| {
            let key = asked.header("api-key").unwrap_or_default();
            let part: String = key.chars().take(10).collect();
            if answered.code() == "invalid_api_key" {
                answered.json()["detail"] = json!(format!("The key {part}... is not known."));
            }
        }),
        fault(
            "known-beginning-is-shown",
            EVERY_OPERATION,
            "A header of an error shows the beginning of a key that is nearly known.",
        )
        .shown_by([get("/api/v1/pipelines/2/items").key("dev-full-acces")])
        .answer(|asked, answered| {
            let key = asked.header("api-key").unwrap_or_default();
            if key.starts_with("dev-full") && answered.code() == "invalid_api_key" {
                let part: String = key.chars().take(10).collect();
                answered.set_header("x-key-hint", &part);
            }
        }),
        fault(
            "statement-is-quoted",
            EVERY_OPERATION,
            "An item that does not exist gets the statement that found nothing.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/299999/values")])
        .answer(|_, answered| {
            if answered.code() == "item_not_found" {
                answered.json()["detail"] = json!("SELECT * FROM items WHERE id = $1: no rows");
            }
        }),
        fault(
            "key-is-repeated-in-base64",
            EVERY_OPERATION,
            "An error has the key in a header, in base64.",
        )
        .shown_by(malformed())
        .answer(|asked, answered| {
            let key = asked.header("api-key").unwrap_or_default();
            let caller = BASE64_STANDARD.encode(format!("user:{key}"));
            if answered.status.is_client_error() {
                answered.set_header("x-caller", &caller);
            }
        }),
        fault(
            "trace-is-shown",
            EVERY_OPERATION,
            "A value that is not a number gets a Python traceback.",
        )
        .shown_by(malformed())
        .answer(|asked, answered| {
            if answered.status == 422 && asked.query.contains("NaN") {
                answered.json()["detail"] =
                    json!("Traceback (most recent call last):\n  File \"/srv/api.py\", line 31");
            }
        }),
        fault(
            "constraint-is-named",
            EVERY_OPERATION,
            "An organization that is there gets the constraint of the database.",
        )
        .shown_by([add_organization(2331)])
        .answer(|_, answered| {
            if answered.status == 409 {
                answered.json()["detail"] =
                    json!("duplicate key value violates unique constraint \"items_organization\"");
            }
        }),
        fault(
            "exception-is-named",
            EVERY_OPERATION,
            "An id that does not fit gets a Java exception in a header.",
        )
        .shown_by([get("/api/v1/pipelines/99999999999999999999/items")])
        .answer(|asked, answered| {
            if answered.status == 422 && asked.path.contains("99999999999999999999") {
                answered.set_header("x-cause", "java.lang.NumberFormatException: For input");
            }
        }),
        fault(
            "database-is-quoted",
            EVERY_OPERATION,
            "A quote in a parameter gets a database message.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?sort_by=%27")])
        .answer(|asked, answered| {
            let is_quoted = asked.query.contains("%27") || asked.json().to_string().contains('\'');
            if answered.status.is_client_error() && is_quoted {
                answered.json()["detail"] = json!("SQLSTATE[42601]: Syntax error");
            }
        }),
        fault(
            "panic-is-shown",
            EVERY_OPERATION,
            "An unreadable body gets a Rust panic.",
        )
        .shown_by([add(6, "{")])
        .answer(|asked, answered| {
            if answered.status == 422 && asked.body.as_ref() == b"{" {
                answered.json()["detail"] = json!("panicked at src/body.rs:31:9: called `unwrap`");
            }
        }),
    ]
}

fn members() -> Vec<Fault> {
    let of = |name| property("Problem", name);
    let rejected = || [get("/api/v1/pipelines/99/items")];
    vec![
        fault("no-code", of("code"), "An error has no code.")
            .shown_by(rejected())
            .answer(|_, answered| without(answered, "code")),
        fault("no-type", of("type"), "An error has no type.")
            .shown_by(rejected())
            .answer(|_, answered| without(answered, "type")),
        fault("no-detail", of("detail"), "An error has no detail.")
            .shown_by(rejected())
            .answer(|_, answered| without(answered, "detail")),
        fault(
            "no-errors",
            of("errors"),
            "An error without field errors has no list of them.",
        )
        .shown_by(rejected())
        .answer(|_, answered| {
            if answered.list("errors").is_some_and(|errors| errors.is_empty()) {
                without(answered, "errors");
            }
        }),
        fault("empty-title", of("title"), "An error has an empty title.")
            .shown_by(rejected())
            .answer(|_, answered| {
                on_problem(answered, |problem| problem["title"] = json!(""));
            }),
        fault("status-is-text", of("status"), "The status in the body is a string.")
            .shown_by(rejected())
            .answer(|_, answered| {
                on_problem(answered, |problem| {
                    problem["status"] = json!(problem["status"].to_string())
                });
            }),
        fault(
            "status-is-another",
            of("status"),
            "The status in the body is always 400.",
        )
        .shown_by(rejected())
        .answer(|_, answered| {
            on_problem(answered, |problem| problem["status"] = json!(400));
        }),
        fault(
            "code-is-unknown",
            of("code"),
            "An unknown pipeline has a code that is not in the list.",
        )
        .shown_by(rejected())
        .answer(|_, answered| {
            on_problem(answered, |problem| {
                if problem["code"] == "pipeline_not_found" {
                    problem["code"] = json!("not_found");
                }
            });
        }),
        fault("code-in-capitals", of("code"), "Codes are in capitals.")
            .shown_by(rejected())
            .answer(|_, answered| {
                on_problem(answered, |problem| {
                    problem["code"] = json!(problem["code"].as_str().unwrap_or_default().to_uppercase())
                });
            }),
        fault(
            "another-request-id",
            of("request_id"),
            "The request id in the body differs from the header.",
        )
        .shown_by(rejected())
        .answer(|_, answered| {
            on_problem(answered, |problem| problem["request_id"] = json!("another"));
        }),
        fault("instance-is-the-root", of("instance"), "instance is always /.")
            .shown_by(rejected())
            .answer(|_, answered| {
                on_problem(answered, |problem| problem["instance"] = json!("/"));
            }),
        fault(
            "instance-is-a-url",
            of("instance"),
            "instance is a URL, with scheme and host.",
        )
        .shown_by(rejected())
        .answer(|_, answered| {
            on_problem(answered, |problem| {
                let path = problem["instance"].as_str().unwrap_or_default();
                problem["instance"] = json!(format!("https://api.example.com{path}"));
            });
        }),
        fault(
            "instance-is-in-lower-case",
            of("instance"),
            "instance is the path in lower case.",
        )
        .shown_by([get("/search/platform-conformance-no-such-route-5F3A9C")])
        .answer(|_, answered| {
            on_problem(answered, |problem| {
                let path = problem["instance"].as_str().unwrap_or_default().to_lowercase();
                problem["instance"] = json!(path);
            });
        }),
        fault("errors-are-an-object", of("errors"), "errors is an object by field.")
            .shown_by([get("/api/v1/pipelines/2/items?limit=0")])
            .answer(|_, answered| {
                on_problem(answered, |problem| problem["errors"] = json!({"limit": "out of range"}));
            }),
        fault(
            "locations-are-texts",
            property("FieldError", "loc"),
            "The place of an error is one string.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=0")])
        .answer(|_, answered| {
            on_problem(answered, |problem| {
                for error in problem["errors"].as_array_mut().into_iter().flatten() {
                    error["loc"] = json!("query.limit");
                }
            });
        }),
        fault(
            "faults-lack-their-type",
            property("FieldError", "type"),
            "An error of a field has no type.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=0")])
        .answer(|_, answered| {
            on_problem(answered, |problem| {
                let errors = problem["errors"].as_array_mut().into_iter().flatten();
                errors.filter_map(|error| error.as_object_mut()).for_each(|error| {
                    error.remove("type");
                });
            });
        }),
        fault(
            "wrapped",
            "/components/schemas/Problem",
            "An error is wrapped in another object.",
        )
        .shown_by(rejected())
        .answer(|_, answered| {
            on_problem(answered, |problem| *problem = json!({ "error": problem.take() }));
        }),
        fault(
            "plain-text",
            "/components/schemas/Problem",
            "A 404 has a plain text body.",
        )
        .shown_by(rejected())
        .answer(|_, answered| {
            if answered.status == 404 {
                answered.set_text("not found");
                answered.set_header("content-type", "text/plain");
            }
        }),
        fault(
            "html",
            "/components/schemas/Problem",
            "An unknown route gets an HTML page.",
        )
        .shown_by([get("/nothing")])
        .answer(|_, answered| {
            if answered.code() == "route_not_found" {
                answered.set_text("<h1>Not found</h1>");
                answered.set_header("content-type", "text/html");
            }
        }),
        fault("no-body", "/components/schemas/Problem", "403 has no body.")
            .shown_by([get("/api/v1/pipelines/2/items").key("dev-no-access")])
            .answer(|_, answered| {
                if answered.status == 403 {
                    answered.set_text("");
                }
            }),
        fault(
            "says-text",
            "/components/schemas/Problem",
            "An error has the media type text/plain.",
        )
        .shown_by(rejected())
        .answer(|_, answered| {
            if answered.status.is_client_error() {
                answered.set_header("content-type", "text/plain");
            }
        }),
        fault(
            "says-nothing",
            "/components/schemas/Problem",
            "An error has no media type.",
        )
        .shown_by(rejected())
        .answer(|_, answered| {
            if answered.status.is_client_error() {
                answered.remove_header("content-type");
            }
        }),
        fault(
            "refused-with-200",
            "/components/responses/InvalidParameters",
            "A rejected request gets 200 with the problem as the body.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=0")])
        .answer(|_, answered| {
            if answered.status == 422 {
                answered.status = axum::http::StatusCode::OK;
            }
        }),
    ]
}

fn on_problem(answered: &mut Answered, change: impl FnOnce(&mut serde_json::Value)) {
    if answered.status.is_client_error() && answered.json().is_object() {
        change(answered.json());
    }
}

fn without(answered: &mut Answered, member: &str) {
    on_problem(answered, |problem| {
        problem.as_object_mut().map(|problem| problem.remove(member));
    });
}
