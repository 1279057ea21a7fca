//! Which locations of a record count for the filters on places.

use serde_json::Value;

use super::sight::{Seen, across_searches, refused_or, saw, untold};
use super::{Point, point};
use crate::search::calls::{Search, ids, results};
use crate::search::headquarters::places_apart;
use crate::search::keeps::filter;
use engine::session::Probe;

pub(super) fn points() -> Vec<Point> {
    vec![
        point(
            "places-together",
            "May a country and a region be met by two locations of a record, when headquarters_only is false?",
            ("each", Value::Null, "Yes: each filter looks at every location."),
        )
        .or("one", "No: one location has to meet both.")
        .or("refused", "They are refused with this status.")
        .found_out("Searches for the country of one location of a result and the region of another.")
        .governing(["search-headquarters/another-location-may-meet-each/*"])
        .by(|probe| across_searches(move |search| together(probe.clone(), search))),
    ]
}

async fn together(probe: Probe, search: Search) -> Seen {
    let most = search.number("limit", "maximum");
    let bare = probe.ok(search.call(&probe)?.query("limit", most).send().await?)?;
    let Some((id, places)) = places_apart(search, results(&bare)) else {
        return untold(
            "an organization with a location in one country, and one in a region of another",
        );
    };
    let call = filter(search.call(&probe)?, &places);
    let page = call.query("limit", most).send().await?;
    refused_or(&page, || {
        match ids(search.finds, results(&page)).contains(&id) {
            true => saw("each", &[&page]),
            false => saw("one", &[&page]),
        }
    })
}
