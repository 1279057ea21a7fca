//! What `sort_by` and `sort_order` of `list_items` take, and how anything else is refused.

use std::collections::BTreeSet;

use crate::support::column_values::columns;
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// Texts that are no ids of question columns.
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

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let list_items = contract.operation("list_items");
    let (sort_by, sort_order) = (
        list_items.parameter("sort_by"),
        list_items.parameter("sort_order"),
    );
    let order = |id: &str, title: &str, pointer: String| {
        Case::new(format!("sort/{id}"), title, pointer).needs([Need::Pipeline(ManyItems)])
    };
    vec![
        order(
            "invalid-form-is-rejected",
            "A sort_by that is no id of a question column is rejected",
            sort_by.at("pattern"),
        )
        .and(sort_by.at("type"))
        .and(list_items.response_pointer(400))
        .sends(20)
        .check(invalid_form),
        order(
            "unknown-column-is-rejected",
            "A question that the pipeline does not have is rejected",
            list_items.response_pointer(400),
        )
        .check(unknown_column),
        order(
            "repeated-sort-by-is-rejected",
            "A sort_by that is given twice is rejected",
            sort_by.pointer.clone(),
        )
        .and(list_items.response_pointer(422))
        .check(|probe| repeated(probe, "sort_by")),
        order(
            "other-order-is-rejected",
            "A sort_order other than those of the list is rejected",
            sort_order.at("enum"),
        )
        .and(sort_order.at("type"))
        .and(list_items.response_pointer(422))
        .check(other_order),
        order(
            "repeated-sort-order-is-rejected",
            "A sort_order that is given twice is rejected",
            sort_order.pointer.clone(),
        )
        .and(list_items.response_pointer(422))
        .check(|probe| repeated(probe, "sort_order")),
    ]
}
async fn invalid_form(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    for text in NOT_COLUMNS {
        let answer = probe
            .call("list_items")
            .path("pipeline_id", pipeline_id)
            .query("sort_by", text)
            .send()
            .await?;
        probe.expect(&answer).refused(400, "invalid_sort_by");
    }
    Ok(())
}

async fn unknown_column(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let mine: BTreeSet<_> = columns(&probe)?
        .into_iter()
        .filter(|(id, _)| *id == pipeline_id)
        .map(|(_, column)| column)
        .collect();
    let others = columns(&probe)?
        .into_iter()
        .map(|(_, column)| column)
        .find(|column| !mine.contains(column));
    let nobody = [
        "question.9007199254740991".to_owned(),
        "question.99999999999999999999999".to_owned(),
    ];
    for column in nobody.into_iter().chain(others) {
        let answer = probe
            .call("list_items")
            .path("pipeline_id", pipeline_id)
            .query("sort_by", &column)
            .send()
            .await?;
        probe.expect(&answer).refused(400, "unknown_sort_column");
    }
    Ok(())
}

async fn repeated(probe: Probe, name: &'static str) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let value = if name == "sort_by" {
        "question.1"
    } else {
        "asc"
    };
    let call = probe.call("list_items").path("pipeline_id", pipeline_id);
    let answer = call.query(name, value).query(name, value).send().await?;
    probe
        .expect(&answer)
        .refused(422, "validation_failed")
        .fault_at(&["query", name]);
    Ok(())
}

async fn other_order(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    for text in [
        "",
        " ",
        "ASC",
        "Desc",
        "ascending",
        "descending",
        "1",
        "asc,desc",
        "null",
    ] {
        let answer = probe
            .call("list_items")
            .path("pipeline_id", pipeline_id)
            .query("sort_order", text)
            .send()
            .await?;
        probe
            .expect(&answer)
            .refused(422, "validation_failed")
            .fault_at(&["query", "sort_order"]);
    }
    for text in probe
        .contract()
        .operation("list_items")
        .parameter("sort_order")
        .schema["enum"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let text = text.as_str().unwrap_or_default();
        let answer = probe
            .call("list_items")
            .path("pipeline_id", pipeline_id)
            .query("sort_order", text)
            .send()
            .await?;
        probe.expect(&answer).status(200);
    }
    Ok(())
}
