//! Lists that are not in the requested order.

use std::cmp::Ordering;

use serde_json::Value;

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{Family, Fault, fault, operation, parameter, response};
use crate::witness::get;

pub(super) const FAMILY: Family = Family {
    name: "sort",
    title: "The order of a list",
    faults,
};

fn faults() -> Vec<Fault> {
    let by = |keyword| parameter("list_items", "sort_by", keyword);
    let order = |keyword| parameter("list_items", "sort_order", keyword);
    let rule = || operation("list_items");
    let list = |query: &str| get(format!("/api/v1/pipelines/1/items?limit=1000&{query}"));
    vec![
        fault("sort-by-is-ignored", rule(), "A valid sort_by is ignored.")
            .shown_by([list("sort_by=question.101")])
            .answer(|asked, answered| {
                resorted(asked, answered, None, |_, items| items.sort_by_key(item_id));
            }),
        fault("desc-is-ignored", rule(), "With sort_by, sort_order is ignored.")
            .shown_by([list("sort_by=question.101&sort_order=desc")])
            .request(|asked| {
                if asked.parameter("sort_by").is_some() && asked.parameter("sort_order") == Some("desc") {
                    asked.set("sort_order", "asc");
                }
            }),
        fault(
            "default-is-desc",
            order("default"),
            "Without sort_order, the order is descending.",
        )
        .shown_by([list("")])
        .request(|asked| {
            if asked.calls("list_items") {
                asked.default("sort_order", "desc");
            }
        }),
        fault(
            "order-alone-is-ignored",
            rule(),
            "Without sort_by, sort_order is ignored.",
        )
        .shown_by([list("sort_order=desc")])
        .request(|asked| {
            if asked.parameter("sort_by").is_none() && asked.parameter("sort_order") == Some("desc") {
                asked.remove("sort_order");
            }
        }),
        fault(
            "bare-question-id-sorts",
            by("pattern"),
            "The id of a question alone is taken for its column.",
        )
        .shown_by([list("sort_by=101")])
        .request(|asked| {
            let id = asked.parameter("sort_by").and_then(|text| text.parse::<u64>().ok());
            if let Some(id) = id {
                asked.set("sort_by", format!("question.{id}"));
            }
        }),
        fault(
            "newline-behind-a-column-is-ignored",
            by("pattern"),
            "A newline behind the column of a question is ignored.",
        )
        .shown_by([list("sort_by=question.101%0A")])
        .request(|asked| {
            let column = asked
                .parameter("sort_by")
                .and_then(|text| text.strip_suffix("%0A").map(str::to_owned));
            if let Some(column) = column {
                asked.set("sort_by", column);
            }
        }),
        fault(
            "desc-puts-missing-first",
            rule(),
            "In descending order, items without a value come first.",
        )
        .shown_by([list("sort_by=question.101&sort_order=desc&skip=1200")])
        .answer(|asked, answered| {
            resorted(asked, answered, Some("desc"), |column, items| {
                items.sort_by_key(|item| !first(item, column).is_null());
            });
        }),
        fault(
            "asc-puts-missing-first",
            rule(),
            "In ascending order, items without a value come first.",
        )
        .shown_by([list("sort_by=question.101&sort_order=asc&skip=280")])
        .answer(|asked, answered| {
            resorted(asked, answered, None, |column, items| {
                items.sort_by_key(|item| !first(item, column).is_null());
            });
        }),
        fault(
            "desc-reverses-ties",
            rule(),
            "In descending order, ties are in descending order of id.",
        )
        .shown_by([list("sort_by=question.102&sort_order=desc")])
        .answer(|asked, answered| {
            resorted(asked, answered, Some("desc"), |column, items| {
                for tied in items.chunk_by_mut(|one, other| first(one, column) == first(other, column)) {
                    tied.reverse();
                }
            });
        }),
        fault(
            "ties-in-any-order",
            rule(),
            "Ties are ordered by the ids of their organizations.",
        )
        .shown_by([list("sort_by=question.102")])
        .answer(|asked, answered| {
            resorted(asked, answered, None, |column, items| {
                for tied in items.chunk_by_mut(|one, other| first(one, column) == first(other, column)) {
                    tied.sort_by_key(|item| item["organization_id"].as_i64());
                }
            });
        }),
        fault("numbers-as-text", rule(), "Numbers are ordered by their digits.")
            .shown_by([list("sort_by=question.101")])
            .answer(|asked, answered| {
                resorted(asked, answered, None, |column, items| {
                    items.sort_by_key(|item| (first(item, column).is_null(), first(item, column).to_string()));
                });
            }),
        fault(
            "text-by-last-letter",
            rule(),
            "Strings are ordered by their last letters.",
        )
        .shown_by([list("sort_by=question.102")])
        .answer(|asked, answered| {
            resorted(asked, answered, None, |column, items| {
                items.sort_by_key(|item| {
                    let text = first(item, column)
                        .as_str()
                        .map(|text| text.chars().rev().collect::<String>());
                    (first(item, column).is_null(), text)
                });
            });
        }),
        fault(
            "text-by-first-letter",
            rule(),
            "Strings are ordered by their first letters.",
        )
        .shown_by([list("sort_by=question.102&sort_order=desc")])
        .answer(|asked, answered| {
            let descends = asked.parameter("sort_order") == Some("desc");
            resorted(asked, answered, None, |column, items| {
                items.sort_by(|one, other| {
                    let letter = |item: &Value| first(item, column).as_str().and_then(|text| text.chars().next());
                    let order = match (letter(one), letter(other)) {
                        (Some(one), Some(other)) if descends => other.cmp(&one),
                        (Some(one), Some(other)) => one.cmp(&other),
                        (one, other) => other.is_some().cmp(&one.is_some()),
                    };
                    order.then(item_id(one).cmp(&item_id(other)))
                });
            });
        }),
        fault(
            "texts-ascend-in-any-order",
            rule(),
            "A list that is sorted by texts ascends in descending order, too.",
        )
        .shown_by([list("sort_by=question.102&sort_order=desc&skip=100")])
        .answer(|asked, answered| {
            resorted(asked, answered, Some("desc"), |column, items| {
                if items.iter().any(|item| first(item, column).is_string()) {
                    items.sort_by_key(|item| {
                        let text = first(item, column).as_str().map(str::to_owned);
                        (text.is_none(), text)
                    });
                }
            });
        }),
        fault("by-the-last-value", rule(), "The last value of a column counts.")
            .shown_by([list("sort_by=question.101&sort_order=desc")])
            .answer(|asked, answered| {
                resorted(asked, answered, None, |column, items| {
                    items.sort_by(|one, other| {
                        let last = |item: &Value| {
                            let result = item["values"][column]["result"].as_array();
                            result.and_then(|values| values.last()).cloned().unwrap_or_default()
                        };
                        compare(&last(one), &last(other), false)
                    });
                });
            }),
        fault(
            "beginning-of-a-column-is-taken",
            response("list_items", 400),
            "A column that another one begins with is taken for it.",
        )
        .shown_by([list("sort_by=question.10")])
        .request(|asked| {
            if asked.parameter("sort_by") == Some("question.10") {
                asked.set("sort_by", "question.101");
            }
        }),
        fault(
            "entity-columns-sort",
            response("list_items", 400),
            "A column of entity data that the items have is accepted.",
        )
        .shown_by([list("sort_by=organization.metrics.employee_count")])
        .request(|asked| {
            let is_entity = |column: &str| column.starts_with("organization.") && column != "organization.name";
            if asked.parameter("sort_by").is_some_and(is_entity) {
                asked.remove("sort_by");
            }
        }),
        fault("cut-then-sorted", rule(), "A page is cut first and then sorted.")
            .shown_by([get(
                "/api/v1/pipelines/1/items?limit=50&skip=50&sort_by=question.101&sort_order=desc",
            )])
            .planted(|_| {
                let cut = Plant::request(|asked| {
                    if asked.calls("list_items") && asked.parameter("sort_by") == Some("question.101") {
                        asked.keep(|name, _| name != "sort_by" && name != "sort_order");
                    }
                });
                cut.and_answer(|asked, answered| {
                    let descends = asked.parameter("sort_order") == Some("desc");
                    resorted(asked, answered, None, |column, items| {
                        items.sort_by(|one, other| compare(first(one, column), first(other, column), descends));
                    });
                })
            }),
        fault(
            "descending-pages-are-ascending-ones-reversed",
            rule(),
            "A page in descending order has the items of the one in ascending order.",
        )
        .shown_by([get(
            "/api/v1/pipelines/1/items?limit=50&sort_by=question.101&sort_order=desc",
        )])
        .planted(|_| {
            let ascends = Plant::request(|asked| {
                if asked.parameter("sort_by").is_some() && asked.parameter("sort_order") == Some("desc") {
                    asked.set("sort_order", "asc");
                }
            });
            ascends.and_answer(|asked, answered| resorted(asked, answered, Some("desc"), |_, items| items.reverse()))
        }),
        fault(
            "without-a-value-is-left-out",
            rule(),
            "A sorted list omits items without a value, and total_count includes them.",
        )
        .shown_by([list("sort_by=question.101&skip=280")])
        .answer(|asked, answered| {
            resorted(asked, answered, None, |column, items| {
                items.retain(|item| !first(item, column).is_null())
            });
        }),
        fault("upper-case-order-is-taken", order("enum"), "DESC is treated as desc.")
            .shown_by([list("sort_order=DESC")])
            .request(|asked| {
                let order = asked.parameter("sort_order").map(str::to_ascii_lowercase);
                if let Some(order) = order.filter(|order| order == "asc" || order == "desc") {
                    asked.set("sort_order", order);
                }
            }),
        fault(
            "unknown-order-is-asc",
            order("enum"),
            "An unknown sort_order is treated as asc.",
        )
        .shown_by([list("sort_order=up")])
        .request(|asked| {
            asked.keep(|name, value| name != "sort_order" || value == "asc" || value == "desc");
        }),
        fault(
            "unknown-column-is-ignored",
            response("list_items", 400),
            "A question that the pipeline does not have is ignored.",
        )
        .shown_by([list("sort_by=question.999999")])
        .answer(|_, answered| {
            if answered.code() == "unknown_sort_column" {
                answered.becomes(422, "validation_failed");
            }
        }),
        fault(
            "unknown-column-is-ignored-past-the-end",
            response("list_items", 400),
            "Past the end, a question that the pipeline does not have is ignored.",
        )
        .shown_by([list("sort_by=question.999999&skip=1280")])
        .request(|asked| {
            // No pipeline has more items.
            if asked.number("skip").is_some_and(|skip| skip >= 1280) {
                asked.keep(|name, value| name != "sort_by" || !value.starts_with("question."));
            }
        }),
        fault(
            "unknown-column-is-not-found",
            response("list_items", 400),
            "A question that the pipeline does not have gets 404.",
        )
        .shown_by([list("sort_by=question.999999")])
        .answer(|_, answered| {
            if answered.code() == "unknown_sort_column" {
                answered.becomes(404, "pipeline_not_found");
            }
        }),
        fault(
            "malformed-column-is-unknown",
            response("list_items", 400),
            "A malformed sort_by has the code of an unknown question.",
        )
        .shown_by([list("sort_by=name")])
        .answer(|_, answered| {
            if answered.code() == "invalid_sort_by" {
                answered.becomes(400, "unknown_sort_column");
            }
        }),
        fault(
            "malformed-column-is-422",
            by("pattern"),
            "A malformed sort_by gets 422, like other parameters.",
        )
        .shown_by([list("sort_by=question.")])
        .answer(|_, answered| {
            if answered.code() == "invalid_sort_by" {
                answered.becomes(422, "validation_failed");
            }
        }),
        fault(
            "column-beyond-utf8-is-422",
            by("pattern"),
            "A sort_by that is not UTF-8 gets 422, like other parameters.",
        )
        .shown_by([list("sort_by=question.1%FF")])
        .answer(|asked, answered| {
            let is_not_text = asked.parameter("sort_by").is_some_and(|column| column.ends_with("%FF"));
            if answered.code() == "invalid_sort_by" && is_not_text {
                answered.becomes(422, "validation_failed");
            }
        }),
        fault(
            "letters-after-an-id-are-ignored",
            response("list_items", 400),
            "The id of a question in sort_by ends at the first letter, and what follows is ignored.",
        )
        .shown_by([list("sort_by=question.101abc")])
        .request(|asked| {
            let id = asked
                .parameter("sort_by")
                .and_then(|column| column.strip_prefix("question."));
            let digits = id.map(|id| id.trim_end_matches(|letter: char| letter.is_ascii_lowercase()));
            if asked.calls("list_items")
                && let Some(digits) = digits.filter(|digits| !digits.is_empty())
            {
                let column = format!("question.{digits}");
                asked.set("sort_by", column);
            }
        }),
        fault(
            "leading-zeros-are-taken",
            by("pattern"),
            "question.0101 is treated as question.101.",
        )
        .shown_by([list("sort_by=question.0101"), list("sort_by=question.01")])
        .request(|asked| {
            let id = asked
                .parameter("sort_by")
                .and_then(|column| column.strip_prefix("question.0"));
            if let Some(id) = id
                .map(|id| id.trim_start_matches('0').to_owned())
                .filter(|id| !id.is_empty())
            {
                asked.set("sort_by", format!("question.{id}"));
            }
        }),
        fault(
            "list-of-columns-is-its-first",
            by("pattern"),
            "Of several columns with commas between them the first counts.",
        )
        .shown_by([list("sort_by=question.101,question.102")])
        .request(|asked| {
            let columns = asked.parameter("sort_by").map(|columns| columns.replace("%2C", ","));
            if let Some((column, _)) = columns.as_deref().and_then(|columns| columns.split_once(',')) {
                asked.set("sort_by", column);
            }
        }),
        fault(
            "repeated-sort-by-takes-the-first",
            by("pattern"),
            "The first of several values of sort_by counts.",
        )
        .shown_by([list("sort_by=question.101&sort_by=question.102")])
        .request(|asked| {
            if let Some(column) = asked.parameter("sort_by").map(str::to_owned) {
                asked.set("sort_by", column);
            }
        }),
    ]
}

fn item_id(item: &Value) -> Option<i64> {
    item["pipeline_item_id"].as_i64()
}

/// Returns the first value of a column; null if there is none.
fn first<'a>(item: &'a Value, column: &str) -> &'a Value {
    item["values"][column]["result"].get(0).unwrap_or(&Value::Null)
}

/// Compares numbers, with all other values last.
fn compare(one: &Value, other: &Value, descends: bool) -> Ordering {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) if descends => other.total_cmp(&one),
        (Some(one), Some(other)) => one.total_cmp(&other),
        (one, other) => other.is_some().cmp(&one.is_some()),
    }
}

/// Changes the items of a page that is sorted by a column, and in this order if one is given.
fn resorted(asked: &Asked, answered: &mut Answered, order: Option<&str>, change: impl Fn(&str, &mut Vec<Value>)) {
    let (column, wanted) = (asked.parameter("sort_by"), asked.parameter("sort_order"));
    if let Some(column) = column.filter(|_| answered.is_success() && order.is_none_or(|order| wanted == Some(order)))
        && let Some(items) = answered.list("items")
    {
        change(column, items);
    }
}
