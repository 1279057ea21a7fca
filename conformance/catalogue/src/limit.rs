//! `limit` and `skip` of `list_items`: the bounds from both sides, the defaults, and what is no number.

use engine::case::{Case, Need};
use engine::session::Probe;
use engine::session::observed::items;
use engine::target::PipelineRole::ManyItems;
use engine::verdict::Outcome;
use platform_contract::{Contract, Parameter};

/// Texts that are no whole numbers.
const NOT_INTEGERS: [&str; 10] = [
    "", " ", "ten", "1.0", "1e2", "0x10", "+1", "1,000", "null", "١",
];
/// Whole numbers that no integer of 64 bits holds.
const HUGE: [&str; 3] = [
    "9223372036854775808",
    "-9223372036854775809",
    "100000000000000000000000000",
];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    of_parameter(contract, "limit")
}

/// The cases of one of the two.
pub(crate) fn of_parameter(contract: &Contract, name: &'static str) -> Vec<Case> {
    let list_items = contract.operation("list_items");
    let parameter = list_items.parameter(name);
    let (least, most) = (parameter.number("minimum"), parameter.number("maximum"));
    let case = |id: &str, title: String, keyword: &str| {
        Case::new(format!("{name}/{id}"), title, parameter.at(keyword))
            .needs([Need::Pipeline(ManyItems)])
    };
    let refused = |case: Case, values: Vec<String>| {
        case.and(list_items.response_pointer(422))
            .check(move |probe| refused(probe, name, values.clone()))
    };
    vec![
        case(
            "minimum-is-accepted",
            format!("{name}={least} is accepted"),
            "minimum",
        )
        .check(move |probe| accepted(probe, name, least)),
        case(
            "maximum-is-accepted",
            format!("{name}={most} is accepted"),
            "maximum",
        )
        .check(move |probe| accepted(probe, name, most)),
        case(
            "default-applies",
            format!("Without {name} its default applies"),
            "default",
        )
        .check(move |probe| default_applies(probe, name)),
        refused(
            case(
                "below-minimum-is-rejected",
                format!("A {name} below {least} is rejected, not clamped"),
                "minimum",
            ),
            [least - 1, least - 3, -i64::from(i32::MAX)]
                .map(|value| value.to_string())
                .into(),
        ),
        refused(
            case(
                "over-maximum-is-rejected",
                format!("A {name} above {most} is rejected, not clamped"),
                "maximum",
            ),
            [most + 1, most * 10].map(|value| value.to_string()).into(),
        ),
        refused(
            case(
                "not-an-integer-is-rejected",
                format!("A {name} that is not a whole number is rejected"),
                "type",
            ),
            NOT_INTEGERS.map(str::to_owned).into(),
        ),
        refused(
            case(
                "huge-is-rejected",
                format!("A {name} beyond 64 bits is rejected"),
                "format",
            ),
            HUGE.map(str::to_owned).into(),
        ),
        case(
            "repeated-is-rejected",
            format!("A {name} that is given twice is rejected"),
            "type",
        )
        .led_by(
            "/info",
            "a parameter that takes one value may be given only once",
        )
        .and(list_items.response_pointer(422))
        .check(move |probe| repeated(probe, name)),
    ]
}

async fn accepted(probe: Probe, name: &'static str, value: i64) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let answer = probe
        .call("list_items")
        .path("pipeline_id", pipeline_id)
        .query(name, value)
        .send()
        .await?;
    probe.expect(&answer).status(200);
    Ok(())
}

/// A page without the parameter is the page with its default.
async fn default_applies(probe: Probe, name: &'static str) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let call = || probe.call("list_items").path("pipeline_id", pipeline_id);
    let default = default_of(probe.contract().operation("list_items").parameter(name));
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
    Ok(())
}

fn default_of(parameter: &Parameter) -> i64 {
    parameter.number("default")
}

async fn refused(probe: Probe, name: &'static str, values: Vec<String>) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    for value in values {
        let answer = probe
            .call("list_items")
            .path("pipeline_id", pipeline_id)
            .query(name, value)
            .send()
            .await?;
        probe
            .expect(&answer)
            .refused(422, "validation_failed")
            .fault_at(&["query", name]);
    }
    Ok(())
}

async fn repeated(probe: Probe, name: &'static str) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    for (first, second) in [(1, 1), (1, 2)] {
        let call = probe.call("list_items").path("pipeline_id", pipeline_id);
        let answer = call.query(name, first).query(name, second).send().await?;
        probe
            .expect(&answer)
            .refused(422, "validation_failed")
            .fault_at(&["query", name]);
    }
    Ok(())
}
