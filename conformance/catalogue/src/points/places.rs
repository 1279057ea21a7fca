//! The point about locations: which ones of a record count for the filters on places.

use serde_json::Value;

use super::observation::{ObservationResult, observed, on_each, rejected_or, unknown_without};
use super::{Point, point};
use engine::session::Probe;
use platform_contract::Contract;
use searches::calls::{Search, ids, results};
use searches::headquarters::places_apart;
use searches::keeps::filter;

pub(super) fn points(contract: &Contract) -> Vec<Point> {
    let searches = Search::all(contract);
    vec![
        point(
            "places-together",
            "When headquarters_only is false, may one location match the country and another the region?",
            ("each", Value::Null, "Yes: each filter checks every location."),
        )
        .or("one", "No: one location has to match both.")
        .or("refused", "They are rejected with this status.")
        .found_out("Searches for the country of one location of a result and the region of another.")
        .by(on_each(&searches, together)),
    ]
}

async fn together(probe: Probe, search: Search) -> ObservationResult {
    let most = search.number("limit", "maximum");
    let bare = probe.ok(search.call(&probe)?.query("limit", most).send().await?)?;
    let Some((id, places)) = places_apart(&search, results(&bare)) else {
        return unknown_without("an organization with a location in one country, and one in a region of another");
    };
    let call = filter(search.call(&probe)?, &places);
    let page = call.query("limit", most).send().await?;
    rejected_or(&page, || match ids(search.finds, results(&page)).contains(&id) {
        true => observed("each", &[&page]),
        false => observed("one", &[&page]),
    })
}
