//! Legal variants around the reference server that decide otherwise than the contract where the source is silent. At
//! the level `stated` they pass.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::{Variant, variant};
use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{EVERY_OPERATION, header, operation, parameter, property, response};
use crate::relay::{Relay, replace};

const SEARCH: &str = "search_organizations_by_description";

/// Names of filters, each with its form in camel case.
const CAMEL_CASE: [(&str, &str); 9] = [
    ("employee_count_min", "employeeCountMin"),
    ("employee_count_max", "employeeCountMax"),
    ("founded_year_min", "foundedYearMin"),
    ("founded_year_max", "foundedYearMax"),
    ("business_types", "businessTypes"),
    ("funding_stages", "fundingStages"),
    ("funded_from", "fundedFrom"),
    ("funded_to", "fundedTo"),
    ("headquarters_only", "headquartersOnly"),
];

/// A variant under construction, at the level `stated`.
pub(super) fn otherwise(name: &'static str, clause: impl Into<String>, differs: &'static str) -> Variant {
    variant(name, clause, differs).stated()
}

pub(super) fn variants() -> Vec<Variant> {
    let mut variants = of_errors();
    variants.extend(of_headers());
    variants.extend(of_requests());
    variants
}

fn of_errors() -> Vec<Variant> {
    vec![
        otherwise(
            "otherwise/errors-are-details",
            "/components/schemas/Problem",
            "Errors have a detail, and nothing else.",
        )
        .answer(|_, answered| error(answered, |problem| json!({"detail": problem["detail"]}))),
        otherwise(
            "otherwise/errors-are-texts",
            response("list_items", 404),
            "Errors are lines of text.",
        )
        .answer(|_, answered| {
            if answered.status.is_client_error() {
                answered.set_text("Rejected\n");
                answered.set_header("content-type", "text/plain; charset=utf-8");
            }
        }),
        otherwise(
            "otherwise/other-codes",
            property("Problem", "code"),
            "Errors have codes of another form.",
        )
        .answer(|_, answered| {
            error(answered, |problem| {
                let mut problem = problem.clone();
                problem["code"] = json!(format!("E-{}", problem["status"]));
                problem
            })
        }),
        otherwise(
            "otherwise/faults-have-no-place",
            property("Problem", "errors"),
            "Errors do not name what is wrong with a request.",
        )
        .answer(|_, answered| {
            error(answered, |problem| {
                let mut problem = problem.clone();
                problem["errors"] = json!([]);
                problem
            })
        }),
        otherwise(
            "otherwise/malformed-is-400",
            response("list_items", 422),
            "A malformed request gets 400, and an addition to a pipeline of another kind 422.",
        )
        .answer(|asked, answered| {
            use axum::http::StatusCode;
            // The source states that each condition of an addition has its own status.
            match answered.status {
                StatusCode::UNPROCESSABLE_ENTITY => answered.status = StatusCode::BAD_REQUEST,
                StatusCode::BAD_REQUEST if asked.calls("add_organization") => {
                    answered.status = StatusCode::UNPROCESSABLE_ENTITY;
                }
                _ => {}
            }
        }),
        otherwise(
            "otherwise/ids-have-32-bits",
            "/components/schemas/PipelineId",
            "An id above 2,147,483,647 in a path is rejected with 400, and in a body with 422.",
        )
        .planted(
            Plant::request(|asked| {
                let is_greater = |id: i64| id > i64::from(i32::MAX);
                let segments = asked.path.split('/').skip(1).enumerate();
                let places = segments.filter(|(_, text)| text.parse().is_ok_and(is_greater));
                for place in places.map(|(place, _)| place).collect::<Vec<_>>() {
                    asked.set_segment(place, "word");
                }
                if asked.json()["organization_id"].as_i64().is_some_and(is_greater) {
                    asked.body = "{}".into();
                }
            })
            .and_answer(|asked, answered| {
                if asked.path.contains("/word") && answered.code() == "validation_failed" {
                    answered.status = axum::http::StatusCode::BAD_REQUEST;
                }
            }),
        ),
        otherwise(
            "otherwise/unknown-key-is-403",
            response("list_items", 401),
            "A key that is not known gets 403.",
        )
        .answer(|_, answered| {
            if answered.code() == "invalid_api_key" {
                answered.becomes(403, "authorization_denied");
            }
        }),
        otherwise(
            "otherwise/unknown-method-is-404",
            operation("list_items"),
            "A method that a route lacks gets 404.",
        )
        .answer(|_, answered| {
            if answered.status == 405 {
                answered.becomes(404, "route_not_found");
            }
        }),
    ]
}

fn of_headers() -> Vec<Variant> {
    let without = |name, clause: String, differs, gone: &'static [&'static str]| {
        otherwise(name, clause, differs)
            .answer(move |_, answered| gone.iter().for_each(|name| answered.remove_header(name)))
    };
    vec![
        without(
            "otherwise/no-request-id",
            header("X-Request-Id"),
            "Responses have no request id.",
            &["x-request-id"],
        ),
        without(
            "otherwise/may-be-cached",
            header("Cache-Control"),
            "Responses do not say whether they may be cached.",
            &["cache-control"],
        ),
        without(
            "otherwise/no-quota-headers",
            header("RateLimit"),
            "Responses do not say what is left of a quota.",
            &["ratelimit", "ratelimit-policy", "retry-after"],
        ),
        without(
            "otherwise/no-challenge",
            header("WWW-Authenticate"),
            "401 names no scheme.",
            &["www-authenticate"],
        ),
        without(
            "otherwise/no-location",
            header("Location"),
            "The response to an addition does not name the new item.",
            &["location"],
        ),
        otherwise(
            "otherwise/media-type-of-its-own",
            response("list_items", 200),
            "Successes have a media type of their own.",
        )
        .answer(|_, answered| {
            if answered.is_success() {
                answered.set_header("content-type", "application/vnd.platform.v1+json");
            }
        }),
        without(
            "otherwise/no-allow",
            EVERY_OPERATION.to_owned(),
            "405 names no method.",
            &["allow"],
        ),
        otherwise(
            "otherwise/no-head",
            EVERY_OPERATION,
            "HEAD and OPTIONS are not supported.",
        )
        .answer(|asked, answered| {
            if ["HEAD", "OPTIONS"].contains(&asked.method.as_str()) {
                answered.becomes(405, "method_not_allowed");
                if asked.method == "HEAD" {
                    answered.set_text("");
                }
            }
        }),
    ]
}

fn of_requests() -> Vec<Variant> {
    let request = |name, clause: String, differs, change: fn(&mut Asked)| {
        otherwise(name, clause, differs).planted(Plant::request(change))
    };
    let bad_value = || response("list_items", 422);
    vec![
        request(
            "otherwise/limits-are-clamped",
            bad_value(),
            "A limit and a skip out of range are clamped.",
            |asked| {
                let most = if asked.searches() { 100 } else { 1000 };
                asked.change("limit", |limit| limit.clamp(1, most));
                asked.change("skip", |skip| skip.max(0));
            },
        )
        .with_all_data(),
        request(
            "otherwise/unknown-parameters-are-ignored",
            EVERY_OPERATION.to_owned(),
            "A parameter that is not known is ignored.",
            |asked| {
                let known: Vec<_> = asked.operation.into_iter().flat_map(names).collect();
                asked.keep(|name, _| {
                    let name = percent_decode_str(name).decode_utf8_lossy();
                    known.iter().any(|known| *known == name)
                });
            },
        ),
        request(
            "otherwise/unknown-stages-are-ignored",
            "/components/parameters/FundingStages".to_owned(),
            "A filter on stages is ignored if it has one that no organization is in.",
            |asked| {
                let is_unknown = asked.query.contains("secondary_market");
                asked.keep(|name, _| name != "funding_stages" || !is_unknown);
            },
        ),
        request(
            "otherwise/great-bounds-are-ignored",
            "/components/parameters/EmployeeCountMax".to_owned(),
            "The filter on employees is ignored if a bound has 32 bits.",
            |asked| {
                let is_great = asked.query.contains("2147483647");
                asked.keep(|name, _| !name.starts_with("employee_count") || !is_great);
            },
        ),
        request(
            "otherwise/great-skips-are-ignored",
            parameter("list_items", "skip", "maximum"),
            "A skip beyond 32 bits is ignored.",
            |asked| {
                let most = i64::from(i32::MAX);
                let is_great = asked.parameter("skip").and_then(|skip| skip.parse::<i64>().ok()) > Some(most);
                asked.keep(|name, _| name != "skip" || !is_great);
            },
        ),
        request(
            "otherwise/filters-in-camel-case",
            "/components/parameters/HeadquartersOnly".to_owned(),
            "The names of filters are in camel case, such as headquartersOnly; other parameters are rejected.",
            |asked| {
                for (name, own) in CAMEL_CASE {
                    asked.rename(name, &format!("unknown-{name}"));
                    asked.rename(own, name);
                }
            },
        ),
        request(
            "otherwise/plus-is-a-plus",
            "/info".to_owned(),
            "A plus in a query is a plus instead of a space.",
            |asked| asked.query = asked.query.replace('+', "%2B"),
        ),
        request(
            "otherwise/first-value-counts",
            bad_value(),
            "Of a parameter that takes one value the first counts.",
            |asked| {
                let mut seen = std::collections::BTreeSet::new();
                let one = [
                    "limit",
                    "skip",
                    "sort_by",
                    "sort_order",
                    "description",
                    "headquarters_only",
                ];
                asked.keep(|name, _| !one.contains(&name) || seen.insert(name.to_owned()));
            },
        ),
        request(
            "otherwise/numbers-are-coerced",
            bad_value(),
            "A number may have zeros, signs and spaces around it.",
            |asked| {
                for name in ["limit", "skip"] {
                    let text = asked
                        .parameter(name)
                        .unwrap_or_default()
                        .replace("%20", "")
                        .replace("%2B", "")
                        .replace('+', "");
                    if let Ok(number) = text.parse::<i64>() {
                        asked.set(name, number);
                    }
                }
            },
        )
        .with_all_data(),
        request(
            "otherwise/order-in-capitals",
            bad_value(),
            "The order may be written in capitals.",
            |asked| {
                if let Some(order) = asked.parameter("sort_order").map(str::to_ascii_lowercase) {
                    asked.set("sort_order", order);
                }
            },
        ),
        request(
            "otherwise/no-search-key",
            response(SEARCH, 401),
            "Searches need no key.",
            |asked| {
                if asked.searches() {
                    asked.set_header("api-key", "dev-full-access");
                }
            },
        ),
        request(
            "otherwise/first-key-counts",
            "/components/securitySchemes/ApiKey".to_owned(),
            "Of several keys the first counts.",
            |asked| {
                if let Some(key) = asked.header("api-key").map(str::to_owned) {
                    asked.set_header("api-key", &key);
                }
            },
        ),
        otherwise(
            "otherwise/white-space-is-part-of-the-key",
            "/components/securitySchemes/ApiKey",
            "Spaces and tabs behind a key are part of it.",
        )
        .relayed(Relay::request(|bytes| {
            replace(bytes, " \t\r\n", ".\r\n");
        })),
        otherwise(
            "otherwise/existing-is-412",
            response("add_organization", 409),
            "An organization that is there already gets 412.",
        )
        .answer(|_, answered| {
            if answered.status == 409 {
                answered.becomes(412, "already_there");
            }
        }),
    ]
}

/// Changes the body of an error.
fn error(answered: &mut Answered, change: impl Fn(&Value) -> Value) {
    if answered.status.is_client_error() && answered.json().is_object() {
        let body = change(answered.json());
        answered.set_text(body.to_string());
    }
}

/// The names of the parameters of an operation.
fn names(operation: &str) -> Vec<String> {
    let operation = platform_contract::Contract::bundled().operation(operation);
    let parameters = operation.parameters.iter();
    parameters.map(|parameter| parameter.name.clone()).collect()
}
