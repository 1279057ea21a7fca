//! Cases about the values of `sort_by` and `sort_order` of `list_items`, and the rejection of anything else.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::column_values::columns;
use engine::case::values::BEYOND_32_BITS;
use engine::case::{Case, Expectation, Need, Rejection, RequestTemplate};
use engine::session::Probe;
use engine::session::observed::PIPELINES;
use engine::target::PipelineRole::ManyItems;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// Names of other columns and members of an item. The source states that they do not sort.
const OTHER_COLUMNS: [&str; 3] = ["pipeline_item_id", "organization.name", "entity_type"];
/// How many columns of entity data of a pipeline are sorted by.
const ENTITY_COLUMNS: usize = 2;
/// Texts that are nearly the column of a question, by the id of the question.
const NEARLY: [fn(&str) -> String; 12] = [
    |id| format!("question.{id}\n"),
    |id| format!("QUESTION.{id}"),
    |id| format!("question.0{id}"),
    |id| format!("question.{id} "),
    |id| format!(" question.{id}"),
    str::to_owned,
    |id| format!("-question.{id}"),
    |id| format!("question.{id}:desc"),
    |id| format!("question.{id}.result"),
    |id| format!("question.{id},question.{id}"),
    // A reader of numbers may stop at what is not a digit.
    |id| format!("question.{id}abc"),
    |id| format!("question.{id}.5"),
];
/// The column of a question that no pipeline has.
const UNKNOWN_COLUMN: &str = "question.8006399337547544";
/// Texts that are not ids of question columns.
const NOT_COLUMNS: [&str; 14] = [
    "",
    " ",
    "question",
    "question.",
    "question.0",
    "question.-1",
    "question.01",
    "question.1.5",
    "question.abc",
    "Question.1",
    "questions.1",
    "question 1",
    "pipeline_item_id",
    "organization.name",
];

/// Texts that are not orders.
const NOT_ORDERS: [&str; 9] = [
    "",
    " ",
    "ASC",
    "Desc",
    "ascending",
    "descending",
    "1",
    "asc,desc",
    "null",
];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let list_items = contract.operation("list_items");
    let (sort_by, sort_order) = (list_items.parameter("sort_by"), list_items.parameter("sort_order"));
    let list = || RequestTemplate::valid(list_items);
    let invalid = |name: &str| Rejection::invalid().at(["query", name]);
    let orders = sort_order.schema["enum"].as_array().into_iter().flatten();
    let orders = orders.filter_map(Value::as_str);
    vec![
        Case::new(
            "sort/invalid-form-is-rejected",
            "A sort_by that is not an id of a question column is rejected",
            sort_by.at("pattern"),
        )
        .and(sort_by.at("type"))
        .and(list_items.response_pointer(400))
        .point("sort-column-form")
        .rejects(
            Rejection::new(400, "invalid_sort_by"),
            NOT_COLUMNS
                .map(|text| list().query("sort_by", text))
                .into_iter()
                .chain([list().raw_query("sort_by=question.1%FF")]),
        ),
        Case::new(
            "sort/other-column-is-rejected",
            "A sort_by that is not the column of a question is rejected",
            list_items.response_pointer(400),
        )
        .quote("sort_by has an invalid format")
        .needs([Need::Pipeline(ManyItems)])
        .rejects(
            Rejection::new(400, "invalid_sort_by"),
            OTHER_COLUMNS.into_iter().flat_map(|text| {
                let sorted = list().query("sort_by", text);
                [sorted.clone(), sorted.query("sort_order", "desc")]
            }),
        ),
        Case::new(
            "sort/entity-column-is-rejected",
            "A column of entity data that the items have is rejected",
            list_items.response_pointer(400),
        )
        .quote("sort_by has an invalid format")
        .needs([Need::Pipeline(ManyItems)])
        .sends(u64::try_from(PIPELINES * (1 + ENTITY_COLUMNS)).unwrap_or(u64::MAX))
        .check(entity_columns),
        Case::new(
            "sort/nearly-a-column-is-rejected",
            "A sort_by that is nearly a column of the pipeline is rejected",
            sort_by.at("pattern"),
        )
        .and(list_items.response_pointer(400))
        .point("sort-column-form")
        .needs([Need::Pipeline(ManyItems)])
        .sends(u64::try_from(NEARLY.len()).unwrap_or(u64::MAX))
        .check(nearly_a_column),
        Case::new(
            "sort/unknown-column-is-rejected",
            "A question that the pipeline does not have is rejected",
            list_items.response_pointer(400),
        )
        .needs([Need::Pipeline(ManyItems)])
        .sends(u64::try_from(PIPELINES).unwrap_or(u64::MAX) + 9)
        .check(unknown_column),
        Case::new(
            "sort/repeated-sort-by-is-rejected",
            "A sort_by that is sent twice is rejected",
            &sort_by.pointer,
        )
        .and(list_items.response_pointer(422))
        .point("list-repeated-parameter")
        .rejects(
            invalid("sort_by"),
            [list().query("sort_by", "question.1").query("sort_by", "question.1")],
        ),
        Case::new(
            "sort/other-order-is-rejected",
            "A sort_order other than asc and desc is rejected",
            sort_order.at("enum"),
        )
        .and(sort_order.at("type"))
        .and(list_items.response_pointer(422))
        .point("sort-order-malformed")
        .expects(
            NOT_ORDERS
                .into_iter()
                .map(|text| {
                    let rejected = invalid("sort_order").into();
                    (list().query("sort_order", text), rejected)
                })
                .chain(orders.map(|text| {
                    let accepted = Expectation::Status(200);
                    (list().query("sort_order", text), accepted)
                })),
        ),
        Case::new(
            "sort/repeated-sort-order-is-rejected",
            "A sort_order that is sent twice is rejected",
            &sort_order.pointer,
        )
        .and(list_items.response_pointer(422))
        .point("list-repeated-parameter")
        .rejects(
            invalid("sort_order"),
            [list().query("sort_order", "asc").query("sort_order", "asc")],
        ),
    ]
}

/// Sorts by the columns of entity data that the first items of each pipeline have.
async fn entity_columns(probe: Probe) -> Outcome {
    let mut asked = 0;
    for pipeline in &probe.known().pipelines {
        let list = || probe.call("list_items").path("pipeline_id", pipeline.pipeline_id);
        let page = probe.ok(list().query("limit", 1).send().await?)?;
        let values = page.at("/items/0/values").as_object().into_iter().flatten();
        let names = values
            .map(|(name, _)| name.clone())
            .filter(|name| !name.starts_with("question."));
        for name in names.take(ENTITY_COLUMNS) {
            let response = list().query("sort_by", name).send().await?;
            probe.expect(&response).rejected(400, "invalid_sort_by");
            asked += 1;
        }
    }
    match asked {
        0 => probe.inconclusive("an item with a column of entity data"),
        _ => Ok(()),
    }
}

/// Sorts by texts that a lenient deployment may read as an existing column.
async fn nearly_a_column(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let mut all = columns(&probe)?.into_iter();
    let column = all.find(|(id, _)| *id == pipeline_id);
    let id = column.and_then(|(_, column)| column.strip_prefix("question.").map(str::to_owned));
    let Some(id) = id else {
        return probe.inconclusive("a question of the pipeline with many items");
    };
    let sorted_by = |text: String| {
        let call = probe.call("list_items").path("pipeline_id", pipeline_id);
        call.query("sort_by", text).send()
    };
    for nearly in NEARLY {
        // The source states the form of a column and the status of a text that is not a column.
        let response = sorted_by(nearly(&id)).await?;
        probe.expect(&response).rejected_as_stated(400, "invalid_sort_by");
    }
    Ok(())
}

/// Sorts by questions that no pipeline has, and by one that only another pipeline has.
async fn unknown_column(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let mine: BTreeSet<_> = columns(&probe)?
        .into_iter()
        .filter(|(id, _)| *id == pipeline_id)
        .map(|(_, column)| column)
        .collect();
    let known = &probe.known().pipelines;
    let all: BTreeSet<_> = known.iter().flat_map(|pipeline| &pipeline.question_columns).collect();
    let others = all
        .iter()
        .find(|column| !mine.contains(**column))
        .map(|column| (*column).clone());
    let beginning = mine
        .iter()
        .find_map(|column| beginning(column).filter(|part| !all.contains(part)));
    let mut beyond_64_bits = "question.99999999999999999999999".to_owned();
    while all.contains(&beyond_64_bits) {
        beyond_64_bits.push('9');
    }
    let unknown_columns = [UNKNOWN_COLUMN.to_owned(), beyond_64_bits].into_iter();
    let beyond_32_bits = mine.iter().find_map(|column| beyond_32_bits(column));
    let unknown_columns = unknown_columns.chain(beyond_32_bits);
    for column in unknown_columns.chain(others).chain(beginning) {
        let response = probe
            .call("list_items")
            .path("pipeline_id", pipeline_id)
            .query("sort_by", &column)
            .send()
            .await?;
        probe.expect(&response).rejected(400, "unknown_sort_column");
    }
    // Which items are shown does not matter. At the end there is none.
    let call = probe.call("list_items").path("pipeline_id", pipeline_id);
    let page = probe.ok(call.query("limit", 1).send().await?)?;
    let end = page.body["total_count"].as_i64().unwrap_or_default();
    let end = end.to_string();
    for (name, value) in [("skip", end.as_str()), ("limit", "1"), ("sort_order", "desc")] {
        let call = probe.call("list_items").path("pipeline_id", pipeline_id);
        let call = call.query("sort_by", UNKNOWN_COLUMN).query(name, value);
        probe.expect(&call.send().await?).rejected(400, "unknown_sort_column");
    }
    // A pipeline without items does not have a question by that name either.
    for pipeline in &probe.known().pipelines {
        let call = probe.call("list_items");
        let call = call.path("pipeline_id", pipeline.pipeline_id);
        let response = call.query("sort_by", UNKNOWN_COLUMN).send().await?;
        probe.expect(&response).rejected(400, "unknown_sort_column");
    }
    Ok(())
}

/// A column whose question has an id that this one's begins with.
fn beginning(column: &str) -> Option<String> {
    let shorter = column.get(..column.len().checked_sub(1)?)?;
    let has_id = shorter.strip_prefix("question.").is_some_and(|id| !id.is_empty());
    has_id.then(|| shorter.to_owned())
}

/// A column whose question has an id with the lower 32 bits of this one's.
fn beyond_32_bits(column: &str) -> Option<String> {
    let id: i64 = column.strip_prefix("question.")?.parse().ok()?;
    let beyond = (0..BEYOND_32_BITS).contains(&id);
    beyond.then(|| format!("question.{}", id + (BEYOND_32_BITS << 20)))
}
