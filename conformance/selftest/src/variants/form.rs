//! Variants of form: other texts, further members, other spellings of JSON.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::{Variant, variant};
use crate::exchange::{Answered, Plant};
use crate::fault::{EVERY_OPERATION, header, operation, property, response};

pub(super) fn variants() -> Vec<Variant> {
    vec![
        variant(
            "as-it-is",
            EVERY_OPERATION,
            "No difference: the plain reference server.",
        )
        .with_all_data(),
        variant(
            "further-members",
            EVERY_OPERATION,
            "Every extensible object has further members.",
        )
        .answer(|_, answered| {
            answered.entries(further);
            answered.items(|item| further("", item));
            answered.organizations(|organization| {
                for group in ["metrics", "headquarters", "contact"] {
                    further("", &mut organization[group]);
                }
                further("", organization);
            });
            answered.results(|result| further("", result));
            if answered.json().is_object() {
                further("", answered.json());
            }
        }),
        variant(
            "whole-numbers-in-two-forms",
            property("ColumnValue", "result"),
            "total_count has a fraction of zero, and so have the whole numbers of every second item.",
        )
        .answer(|_, answered| {
            answered.items(|item| {
                let of_even = |id| id % 2 == 0;
                for value in answers(item, of_even).flat_map(|result| result.as_array_mut().into_iter().flatten()) {
                    if value.is_i64() {
                        *value = json!(value.as_f64());
                    }
                }
            });
            if let Some(total) = answered.json().get_mut("total_count") {
                *total = json!(total.as_f64());
            }
        }),
        variant(
            "other-texts",
            property("Problem", "detail"),
            "Errors have other titles, details and messages.",
        )
        .answer(|_, answered| {
            if answered.status.is_client_error() && answered.json().is_object() {
                let problem = answered.json();
                problem["title"] = json!("Das geht nicht");
                // The contract requires the number of faults here, if there are many, and does not fix the words.
                let detail = problem["detail"].as_str().unwrap_or_default();
                let number: String = detail.chars().filter(char::is_ascii_digit).take(2).collect();
                problem["detail"] = json!(format!("Bitte prüfen Sie die Anfrage. Danke! {number}"));
                for error in problem["errors"].as_array_mut().into_iter().flatten() {
                    error["msg"] = json!("ist nicht gültig");
                    error["type"] = json!("ungültig");
                }
            }
        }),
        variant(
            "errors-repeat-requests",
            property("Problem", "detail"),
            "Errors repeat the request, except for the key.",
        )
        .answer(|asked, answered| {
            if answered.status.is_client_error() && answered.json().is_object() {
                let detail = answered.json()["detail"].as_str().unwrap_or_default();
                let target = format!("{}?{}", asked.path, asked.query);
                let sent = percent_decode_str(&target).decode_utf8_lossy().into_owned();
                let body = String::from_utf8_lossy(&asked.body).into_owned();
                let start: String = body.chars().take(200).collect();
                answered.json()["detail"] = json!(format!("{detail} It was: {sent} {start}"));
            }
        }),
        variant(
            "types-with-an-authority",
            property("Problem", "type"),
            "The types of errors are https URLs.",
        )
        .answer(|_, answered| {
            let code = answered.code();
            if !code.is_empty() {
                answered.json()["type"] = json!(format!("https://docs.example/problems/{code}"));
            }
        }),
        variant(
            "general-kinds",
            property("FieldError", "type"),
            "The kinds of errors are more general: what has the wrong form is malformed.",
        )
        .answer(|_, answered| {
            for error in answered.list("errors").into_iter().flatten() {
                if ["not_an_integer", "not_a_date", "not_a_boolean"]
                    .iter()
                    .any(|kind| error["type"] == *kind)
                {
                    error["type"] = json!("malformed");
                }
            }
        }),
        variant(
            "results-of-other-kinds",
            "/components/schemas/ResultValue",
            "Answers have an object and null behind their values, and some items have lists of values as answers.",
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| {
                let values = entry["result"].as_array_mut().filter(|values| !values.is_empty());
                values
                    .into_iter()
                    .for_each(|values| values.extend([json!({"unit": "EUR"}), Value::Null]));
            });
            answered.items(|item| {
                for result in answers(item, |id| id % 7 == 3).filter(|result| **result != json!([])) {
                    *result = json!([result.take()]);
                }
            });
        }),
        variant(
            "waits-a-second-longer",
            header("Retry-After"),
            "Retry-After is a second longer than the quota takes to be renewed.",
        )
        .answer(|_, answered| {
            let seconds = answered.headers.get("retry-after").and_then(|text| text.to_str().ok());
            if let Some(seconds) = seconds.and_then(|text| text.parse::<u64>().ok()) {
                answered.set_header("retry-after", &(seconds + 1).to_string());
            }
        }),
        variant(
            "faults-backwards",
            property("Problem", "errors"),
            "The errors of a request are listed in another order.",
        )
        .answer(|_, answered| {
            if answered.code() == "validation_failed" {
                answered.list("errors").into_iter().for_each(|errors| errors.reverse());
            }
        }),
        variant(
            "errors-are-json",
            response("list_items", 404),
            "Errors are sent as application/json, with a charset.",
        )
        .answer(|_, answered| {
            if answered.status.is_client_error() {
                answered.set_header("content-type", "application/json; charset=utf-8");
            }
        }),
        variant(
            "json-has-a-charset",
            response("list_items", 200),
            "The type of a success has a charset, and capitals.",
        )
        .answer(|_, answered| {
            if answered.is_success() {
                answered.set_header("content-type", "Application/JSON; charset=UTF-8");
            }
        }),
        variant(
            "keys-backwards",
            EVERY_OPERATION,
            "The members of objects are in another order.",
        )
        .answer(|_, answered| {
            respelled(
                answered,
                &Spelling {
                    backwards: true,
                    ..Spelling::default()
                },
            )
        }),
        variant(
            "spaces-vary",
            EVERY_OPERATION,
            "The same JSON ends with another number of spaces each time.",
        )
        .layer(|router, seed| {
            let answered_before = AtomicUsize::new(usize::try_from(seed).unwrap_or_default());
            let plant = Plant::answer(move |_, answered| {
                let spaces = 1 + answered_before.fetch_add(1, Ordering::Relaxed) % 3;
                let text = answered.text();
                if !text.is_empty() {
                    answered.set_text(format!("{text}{}", " ".repeat(spaces)));
                }
            });
            plant.around(router)
        }),
        variant(
            "spread-out",
            EVERY_OPERATION,
            "JSON is spread over lines, and ends with a line break.",
        )
        .answer(|_, answered| {
            if !answered.json().is_null() {
                let text = format!("{:#}\r\n", answered.json());
                answered.set_text(text);
            }
        }),
        variant("ascii", EVERY_OPERATION, "Non-ASCII characters are escaped.").answer(|_, answered| {
            respelled(
                answered,
                &Spelling {
                    ascii: true,
                    ..Spelling::default()
                },
            )
        }),
        variant(
            "exponents",
            EVERY_OPERATION,
            "Numbers with a fraction have an exponent.",
        )
        .answer(|_, answered| {
            respelled(
                answered,
                &Spelling {
                    exponents: true,
                    ..Spelling::default()
                },
            )
        }),
        variant(
            "another-time-zone",
            property("ColumnValue", "last_synced_at"),
            "Times have the offset of Kathmandu, and fractions of a second.",
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| {
                let time = entry["last_synced_at"].as_str();
                let time = time.and_then(|text| chrono::DateTime::parse_from_rfc3339(text).ok());
                if let Some((time, zone)) = time.zip(chrono::FixedOffset::east_opt(5 * 3600 + 45 * 60)) {
                    let time = time.with_timezone(&zone).format("%Y-%m-%dT%H:%M:%S%.6f%:z");
                    entry["last_synced_at"] = json!(time.to_string());
                }
            });
        }),
        variant(
            "other-request-ids",
            header("X-Request-Id"),
            "New request ids are short.",
        )
        .layer(|router, _| {
            let number = std::sync::atomic::AtomicU64::new(1);
            let plant = super::Plant::request(move |asked| {
                let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
                let sane = |id: &str| (1..=128).contains(&id.len()) && id.bytes().all(allowed);
                let sent: Vec<_> = asked.headers.get_all("x-request-id").iter().collect();
                if sent.len() != 1 || !asked.header("x-request-id").is_some_and(sane) {
                    let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    asked.set_header("x-request-id", &format!("r.{number}"));
                }
            });
            plant.around(router)
        }),
        variant(
            "another-challenge",
            header("WWW-Authenticate"),
            "401 names another scheme first, and spells that of the key differently.",
        )
        .answer(|_, answered| {
            if answered.status == 401 {
                answered.set_header(
                    "www-authenticate",
                    r#"Bearer realm="api", API-Key realm="api", error="invalid""#,
                );
            }
        }),
        variant("more-methods", EVERY_OPERATION, "405 names further methods.").answer(|_, answered| {
            if let Some(allow) = answered.headers.get("allow").and_then(|allow| allow.to_str().ok()) {
                let allow = format!("{allow}, OPTIONS");
                answered.set_header("allow", &allow);
            }
        }),
        variant(
            "another-metric",
            property("Similarity", "cosine_distance"),
            "Distances are half as great.",
        )
        .answer(|_, answered| {
            answered.results(|result| {
                let distance = result["similarity"]["cosine_distance"].as_f64().unwrap_or(0.0);
                result["similarity"]["cosine_distance"] = json!(distance / 2.0);
            });
        }),
        variant(
            "little-is-known",
            "/components/schemas/Organization",
            "Organizations have only the fields that filters use.",
        )
        .answer(|_, answered| {
            answered.organizations(|organization| {
                for member in ["description", "domain", "logo_url"] {
                    organization[member] = Value::Null;
                }
                nothing(&mut organization["contact"], &["website_url", "email", "phone"]);
                let address = ["street", "city", "postal_code", "region_name", "country_name"];
                nothing(&mut organization["headquarters"], &address);
            });
        }),
        variant(
            "no-sources",
            property("ColumnValue", "references"),
            "No value has a source.",
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| entry["references"] = json!([]));
        }),
        variant(
            "no-crm",
            property("ColumnValue", "sync_provider"),
            "No CRM is configured.",
        )
        .answer(|_, answered| {
            let members = ["sync_status", "sync_provider", "last_synced_at", "sync_error"];
            answered.entries(|_, entry| nothing(entry, &members));
        }),
        variant(
            "more-columns",
            "/components/schemas/Values",
            "Items have a further column of entity data.",
        )
        .answer(|_, answered| {
            answered.items(|item| {
                item["values"]["organization.contact.email"] = json!({
                    "result": [], "category": "platform_data", "references": [],
                    "certainty_score": null, "status": null,
                    "sync_status": null, "sync_provider": null, "last_synced_at": null, "sync_error": null,
                });
            });
        }),
        variant(
            "more-prices",
            property("Pricing", "model"),
            "Products have an unknown pricing model.",
        )
        .answer(|_, answered| {
            answered.results(|result| {
                if result.get("product_id").is_some() {
                    result["pricing"]["model"] = json!("per_crate");
                    result["pricing"]["billing_period"] = json!("tide");
                }
            });
        }),
        variant(
            "documents-with-persons",
            operation("list_items"),
            "Items of documents also have a person.",
        )
        .answer(|_, answered| {
            answered.items(|item| {
                let id = item["pipeline_item_id"].as_i64().unwrap_or(1);
                if item["entity_type"] == "document" {
                    item["person_id"] = json!(id + 1);
                }
            });
        }),
    ]
}

/// The results of the questions of an item, if its id passes.
fn answers(item: &mut Value, passes: impl Fn(i64) -> bool) -> impl Iterator<Item = &mut Value> {
    let is_meant = item["pipeline_item_id"].as_i64().is_some_and(passes);
    let entries = item["values"].as_object_mut().filter(|_| is_meant);
    let questions = entries
        .into_iter()
        .flatten()
        .filter(|(column, _)| column.starts_with("question."));
    questions.map(|(_, entry)| &mut entry["result"])
}

fn further(_: &str, object: &mut Value) {
    object["x_further"] = json!({"note": "not in the contract", "at": [1, 2.5, null]});
}

fn nothing(object: &mut Value, members: &[&str]) {
    for member in members {
        object[*member] = Value::Null;
    }
}

/// The spelling of JSON.
#[derive(Debug, Clone, Copy, Default)]
struct Spelling {
    backwards: bool,
    ascii: bool,
    exponents: bool,
}

fn respelled(answered: &mut Answered, spelling: &Spelling) {
    if !answered.json().is_null() {
        let mut text = String::new();
        spelling.write(answered.json(), &mut text);
        answered.set_text(text);
    }
}

impl Spelling {
    fn write(&self, value: &Value, out: &mut String) {
        match value {
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                if self.backwards {
                    members.reverse();
                }
                out.push('{');
                for (position, (name, value)) in members.into_iter().enumerate() {
                    out.push_str(if position == 0 { "" } else { "," });
                    self.write_text(name, out);
                    out.push(':');
                    self.write(value, out);
                }
                out.push('}');
            }
            Value::Array(entries) => {
                out.push('[');
                for (position, value) in entries.iter().enumerate() {
                    out.push_str(if position == 0 { "" } else { "," });
                    self.write(value, out);
                }
                out.push(']');
            }
            Value::String(text) => self.write_text(text, out),
            Value::Number(number) => match number.as_f64().filter(|_| self.exponents && number.is_f64()) {
                Some(float) => {
                    let _ = write!(out, "{float:e}");
                }
                None => out.push_str(&number.to_string()),
            },
            other => out.push_str(&other.to_string()),
        }
    }

    fn write_text(&self, text: &str, out: &mut String) {
        let quoted = Value::from(text).to_string();
        if !self.ascii || quoted.is_ascii() {
            return out.push_str(&quoted);
        }
        for character in quoted.chars() {
            if !character.is_ascii() {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04X}");
                }
            } else {
                out.push(character);
            }
        }
    }
}
