//! Cases about all items, statuses and lists of items that any case received. Other cases check the same rules in
//! chosen places; these check them in every pipeline, order and page, and for every key. Part of the group `schema`.

use engine::case::{Case, Need};
use engine::rules::ANY;
use engine::rules::entry::{COLUMN_VALUE, Rule};
use engine::rules::item::{ABOUT, IDENTITY, LOCATION, ORDER, PAST, READINESS, TIMES, UNIQUE, watched};
use platform_contract::Contract;

pub(super) fn cases(contract: &Contract) -> impl Iterator<Item = Case> {
    let [list, values, status, add] = ["list_items", "get_item_values", "get_item_status", "add_organization"]
        .map(|operation| contract.operation(operation));
    let synced = format!("{COLUMN_VALUE}/properties/last_synced_at");
    let case = |topic: &str, title: &str, pointer: &str, sentence: &str| {
        let title = format!("{title}, in every response");
        Case::quoting(format!("schema/{topic}"), title, pointer, sentence).watches(ANY, topic)
    };
    let about = Case::new(
        format!("schema/{ABOUT}"),
        "A list, an item and a status are those of the pipeline and the item from the request, in every response",
        &values.pointer,
    );
    let about = about.and(&status.pointer).and(&list.pointer).and(&add.pointer);
    let readiness = Case::new(
        format!("schema/{READINESS}"),
        "is_ready is true exactly when its three conditions are, in every response",
        "/components/schemas/ItemStatus/properties/is_ready",
    );
    let location = Case::new(
        format!("schema/{LOCATION}"),
        "Location names the values of the new item, in every response",
        "/components/headers/Location",
    )
    .point("add-location")
    .needs([Need::POST]);
    let of_all = [
        location.watches(ANY, LOCATION),
        about.watches(ANY, ABOUT),
        readiness.watches(ANY, READINESS),
        case(
            ORDER,
            "Without sort_by items are ordered by id",
            &list.parameter("sort_by").pointer,
            "without it, items are ordered by id",
        ),
        case(
            UNIQUE,
            "No two items have the same id",
            "/components/schemas/PipelineItemId",
            "Unique identifier of the item",
        ),
        case(
            IDENTITY,
            "An item's type and entity ids are the same in every response",
            "/components/schemas/PipelineItem/properties/organization_id",
            "Associated organization, if applicable.",
        ),
        case(TIMES, "The time of a sync is a time of ISO 8601", &synced, "ISO 8601"),
        case(
            PAST,
            "The time of a sync is not later than the response that shows it",
            &synced,
            "Time of last successful sync",
        ),
    ];
    of_all.into_iter().chain(watched().map(of_entries))
}

fn of_entries(rule: &Rule) -> Case {
    let pointer = format!("{COLUMN_VALUE}/properties/{}", rule.property);
    let case = Case::new(
        format!("schema/{}", rule.id),
        format!("{}, in every response", rule.title),
        pointer,
    );
    let case = rule.sentence.into_iter().fold(case, Case::quote);
    let case = rule.point.into_iter().fold(case, Case::point);
    case.watches(ANY, rule.id)
}
