//! Cases about `limit` and `skip` of `list_items`: the bounds from both sides, the defaults, and values that are not
//! numbers.

use engine::case::values::{BEYOND_32_BITS, GIVEN_ONCE, HUGE, NOT_INTEGERS, WRITTEN_AS_IN_JSON};
use engine::case::{Case, Need, Rejection, RequestTemplate};
use engine::session::Probe;
use engine::session::observed::{KnownPipeline, PIPELINES, item_id, items};
use engine::target::PipelineRole::ManyItems;
use engine::verdict::Outcome;
use platform_contract::Contract;

use crate::ties::assert_same_order;

/// The number of columns of each pipeline that a list is sorted by to look at a default.
const COLUMNS: usize = 2;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    of_parameter(contract, "limit", "list-limit-above-maximum")
}

/// The cases of one of the two parameters. `beyond` is the point that governs a value above the maximum.
pub(crate) fn of_parameter(contract: &Contract, name: &'static str, beyond: &'static str) -> Vec<Case> {
    let list_items = contract.operation("list_items");
    let parameter = list_items.parameter(name);
    let (least, most) = (parameter.number("minimum"), parameter.number("maximum"));
    let list = || RequestTemplate::valid(list_items);
    let with = |value: &dyn ToString| list().query(name, value.to_string());
    let invalid = || Rejection::invalid().at(["query", name]);
    let unprocessable = list_items.response_pointer(422);
    // The last one is within the bounds if it is truncated to 32 bits.
    let over = [most + 1, most * 10, BEYOND_32_BITS + 1];
    let over = over.into_iter().filter(move |value| *value > most);
    let id = |rule: &str| format!("{name}/{rule}");
    vec![
        Case::new(
            id("minimum-is-accepted"),
            format!("{name}={least} is accepted"),
            parameter.at("minimum"),
        )
        .point(format!("list-{name}-below-minimum"))
        .accepts([with(&least)]),
        Case::new(
            id("maximum-is-accepted"),
            format!("{name}={most} is accepted"),
            parameter.at("maximum"),
        )
        .point(format!("list-{name}-maximum"))
        .accepts([with(&most)]),
        Case::new(
            id("default-applies"),
            format!("Without {name} its default applies"),
            parameter.at("default"),
        )
        .needs([Need::Pipeline(ManyItems)])
        .sends(2 + PIPELINES as u64 * 2 * (2 + COLUMNS as u64))
        .check(move |probe| default_applies(probe, name)),
        Case::new(
            id("below-minimum-is-rejected"),
            format!("A {name} below {least} is rejected, not clamped"),
            parameter.at("minimum"),
        )
        .and(&unprocessable)
        .point(format!("list-{name}-below-minimum"))
        .rejects(
            invalid(),
            [least - 1, least - 3, -i64::from(i32::MAX)].map(|value| with(&value)),
        ),
        Case::new(
            id("over-maximum-is-rejected"),
            format!("A {name} above {most} is rejected, not clamped"),
            parameter.at("maximum"),
        )
        .and(&unprocessable)
        .point(beyond)
        .rejects(invalid(), over.map(|value| with(&value))),
        Case::new(
            id("not-an-integer-is-rejected"),
            format!("A {name} that is not a whole number is rejected"),
            parameter.at("type"),
        )
        .and_quote("/info", WRITTEN_AS_IN_JSON)
        .and(&unprocessable)
        .point(format!("list-{name}-malformed"))
        .rejects(invalid(), NOT_INTEGERS.map(|text| with(&text))),
        Case::new(
            id("huge-is-rejected"),
            format!("A {name} beyond 64 bits is rejected"),
            parameter.at("format"),
        )
        .and(&unprocessable)
        .point(beyond)
        .rejects(invalid(), HUGE.map(|text| with(&text))),
        Case::new(
            id("repeated-is-rejected"),
            format!("A {name} that is sent twice is rejected"),
            parameter.at("type"),
        )
        .primary_quote("/info", GIVEN_ONCE)
        .and(&unprocessable)
        .point("list-repeated-parameter")
        .rejects(
            invalid(),
            [(1, 1), (1, 2)].map(|(first, second)| list().query(name, first).query(name, second)),
        ),
    ]
}

/// Checks that a page without the parameter equals the page with its default.
async fn default_applies(probe: Probe, name: &'static str) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let call = || probe.call("list_items").path("pipeline_id", pipeline_id);
    let list_items = probe.contract().operation("list_items");
    let default = list_items.parameter(name).number("default");
    let bare = probe.ok(call().send().await?)?;
    let total = bare.at("/total_count").as_u64().unwrap_or_default();
    if total <= default.unsigned_abs() {
        return probe.inconclusive(format!("a pipeline with more than {default} items"));
    }
    let explicit = probe.ok(call().query(name, default).send().await?)?;
    let count = |page| items(page).len();
    probe.assert_same(
        "the page without the parameter",
        explicit.at("/items"),
        bare.at("/items"),
        &[&bare, &explicit],
    );
    if name == "limit" {
        probe.assert(
            count(&bare) as i64 == default,
            "the number of items",
            default,
            count(&bare),
            &[&bare],
        );
    }
    assert_default_everywhere(&probe, name, default).await
}

/// Looks at pages without the parameter in every known pipeline, and beside every other parameter.
async fn assert_default_everywhere(probe: &Probe, name: &str, default: i64) -> Outcome {
    let is_limit = name == "limit";
    let is_telling = |pipeline: &&KnownPipeline| pipeline.total_count > default.unsigned_abs();
    for pipeline in probe.known().pipelines.iter().filter(is_telling) {
        let mut beside = vec![("sort_order", "desc")];
        let columns = pipeline.question_columns.iter();
        beside.extend(columns.take(COLUMNS).map(|column| ("sort_by", column.as_str())));
        beside.extend(is_limit.then_some(("skip", "1")));
        for (other, value) in beside {
            let call = || {
                let call = probe.call("list_items").path("pipeline_id", pipeline.pipeline_id);
                let call = call.query(other, value);
                if is_limit { call } else { call.query("limit", 2) }
            };
            let bare = probe.ok(call().send().await?)?;
            let explicit = probe.ok(call().query(name, default).send().await?)?;
            let what = format!("the items of a page with {other}, without {name}");
            let [expected, seen] = [&explicit, &bare].map(items);
            let evidence = [&bare, &explicit];
            if other == "sort_by" {
                assert_same_order(probe, &what, value, expected, seen, &evidence);
            } else {
                let [expected, seen] = [expected, seen].map(|items| items.iter().map(item_id).collect());
                probe.assert_same(&what, &expected, &seen, &evidence);
            }
        }
    }
    Ok(())
}
