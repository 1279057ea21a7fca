//! Shows a pipeline as a board: its items sorted by the answers to a question.
//!
//! ```sh
//! cargo run -p platform-examples --example sorted_board
//! cargo run -p platform-examples --example sorted_board -- question.104 asc
//! ```
//!
//! It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a
//! deployment. `PLATFORM_PIPELINE` is the id of the pipeline; the default is the first one with answers. It only reads.

use std::io::{self, Write};
use std::process::ExitCode;

use platform_examples::{Outcome, Pipeline, Platform, arguments, bar, counted, finish, fit, name_of, visible, wide};
use platform_sdk::ResultValue;
use platform_sdk::types::{PipelineItem, SortOrder};

/// Number of items at the top of the board, and at its end.
const TOP: i32 = 12;
const END: i64 = 3;

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [question, order] = arguments("sorted_board [question.104] [asc|desc]")?;
    let platform = Platform::connect().await?;
    let pipelines = platform.pipelines().await?;
    let with_answers = pipelines.iter().find(|it| it.question_to_sort_by().is_some());
    let Some(pipeline) = with_answers else {
        return Err("no pipeline has an answer to sort by; set PLATFORM_PIPELINE to the id of one".into());
    };
    let question = question.or_else(|| pipeline.question_to_sort_by()).unwrap_or_default();
    let order = match order.as_deref() {
        Some("asc") => SortOrder::Asc,
        Some("desc") | None => SortOrder::Desc,
        Some(other) => return Err(format!("`{other}` is not an order; use asc or desc").into()),
    };

    // The server sorts the whole pipeline. Items without an answer come last in both orders.
    let list = platform.client.list_items().pipeline_id(pipeline.id);
    let list = list.sort_by(&question).sort_order(order);
    let top = list.clone().limit(TOP).send().await?;
    let mut out = io::stdout();
    let (id, items) = (pipeline.id, counted(top.total_count, "item"));
    let shown = visible(&question);
    writeln!(out, "Pipeline {id}: {items}, sorted by {shown} ({order})\n")?;
    let largest = top.items.iter().filter_map(|item| number(item, &question));
    let largest = largest.fold(0.0, f64::max);
    for (place, item) in (1..).zip(&top.items) {
        row(place, item, &question, largest)?;
    }
    let skip = (top.total_count - END).max(TOP.into());
    if skip < top.total_count {
        let end = list.skip(skip).limit(END).send().await?;
        writeln!(out, "     …")?;
        for (place, item) in (skip + 1..).zip(&end.items) {
            row(place, item, &question, largest)?;
        }
    }
    menu(pipeline, &question)
}

/// Prints one item: its place, its name, the answer, and how certain it is.
fn row(place: i64, item: &PipelineItem, question: &str, largest: f64) -> Outcome {
    let column = item.values.column(question)?;
    let certainty = match (column.certainty_score, &column.status) {
        (Some(score), _) => format!("{score:>3} %"),
        (None, Some(status)) => visible(&status.to_string()),
        (None, None) => String::new(),
    };
    let answer = match column.value().result.is_empty() {
        true => "-".to_owned(),
        false => visible(&column.to_string()),
    };
    let answer = match number(item, question) {
        Some(number) => format!("{answer:>11}  {}", fit(&bar(number, largest, wide(16)), wide(16))),
        // Below numbers, to the right; a text has all the columns.
        None if largest > 0.0 && answer == "-" => format!("{answer:>11}  {}", fit("", wide(16))),
        None => fit(&answer, 13 + wide(16)),
    };
    let name = fit(&name_of(item), wide(30));
    writeln!(io::stdout(), "{place:>6}  {name}  {answer}  {certainty}")?;
    Ok(())
}

fn number(item: &PipelineItem, question: &str) -> Option<f64> {
    item.values.get(question)?.result.first()?.as_f64()
}

/// Prints the other questions that the pipeline can be sorted by.
fn menu(pipeline: &Pipeline, shown: &str) -> Outcome {
    let mut questions = pipeline.answered_questions();
    questions.remove(shown);
    if questions.is_empty() {
        return Ok(());
    }
    let mut out = io::stdout();
    writeln!(out, "\nOther questions to sort by:\n")?;
    for (question, example) in questions {
        let kind = match example {
            ResultValue::Text(_) => "text",
            ResultValue::Number(_) => "number",
            ResultValue::YesNo(_) => "yes or no",
            _ => "other values",
        };
        let example = fit(&example.to_string(), wide(40));
        writeln!(
            out,
            "  {}  {}  {}",
            fit(&question, wide(14)),
            fit(kind, 12),
            example.trim_end()
        )?;
    }
    Ok(())
}
