//! What `headquarters_only` does.

use serde_json::Value;

use super::pages::{bare, large_page, page, same};
use crate::points::observation::{ObservationResult, observed, observed_other, on_each, rejected_or, unknown_without};
use crate::points::{Point, point};
use engine::session::Probe;
use engine::verdict::Stop;
use searches::calls::{Search, results, total_count};
use searches::keeps::{Filters, places};

pub(super) fn points(searches: &[Search]) -> Vec<Point> {
    vec![
        point(
            "headquarters-only-false",
            "When headquarters_only is false, which locations do filters on countries check?",
            ("any-location", Value::Null, "Any location, including the headquarters."),
        )
        .or("headquarters", "Only the headquarters: the parameter changes nothing.")
        .or("refused", "The search is rejected with this status.")
        .found_out("Searches for the country of another office of a result, with and without headquarters_only=false.")
        .by(on_each(searches, any_location)),
        point(
            "headquarters-only-default",
            "What is the default of headquarters_only?",
            (
                "true",
                Value::Null,
                "True: only the headquarters count for countries and regions.",
            ),
        )
        .or("false", "False: any location counts.")
        .or(
            "refused",
            "There is none: without it the search is rejected with this status.",
        )
        .found_out(
            "Searches for the country of another office of a result, with true, with false, and without the parameter.",
        )
        .by(on_each(searches, by_default)),
        point(
            "headquarters-only-alone",
            "What is the effect of headquarters_only without a filter on places?",
            ("nothing", Value::Null, "None."),
        )
        .or("something", "The search finds other records.")
        .or("refused", "The search is rejected with this status.")
        .found_out("Searches with headquarters_only=false, and without it.")
        .by(on_each(searches, alone)),
    ]
}

/// Returns a country in which some result has an office other than its headquarters.
async fn country_of_an_office(probe: &Probe, search: &Search) -> Result<String, Stop> {
    let bare = probe.ok(large_page(probe, search, &Filters::new()).await?)?;
    let elsewhere = results(&bare).iter().find_map(|result| {
        let organization = search.finds.organization(result);
        let mine: Vec<_> = places(organization, "country", true).collect();
        let mut all = places(organization, "country", false);
        let other = all.find(|country| !mine.contains(country))?;
        Some(other.to_owned())
    });
    let lacking = "an organization with an office outside the country of its headquarters";
    elsewhere.ok_or_else(|| Stop::Inconclusive(lacking.to_owned()))
}

async fn by_default(probe: Probe, search: Search) -> ObservationResult {
    let bare: Filters = vec![("countries", country_of_an_office(&probe, &search).await?)];
    let with = |value: &str| {
        let mut filters = bare.clone();
        filters.push(("headquarters_only", value.to_owned()));
        filters
    };
    let unset = page(&probe, &search, &bare).await?;
    let (set, cleared) = (
        page(&probe, &search, &with("true")).await?,
        page(&probe, &search, &with("false")).await?,
    );
    rejected_or(&unset, || {
        match (same(&search, &unset, &set), same(&search, &unset, &cleared)) {
            (true, true) => unknown_without("a search whose results depend on headquarters_only"),
            (true, false) => observed("true", &[&unset, &set]),
            (false, true) => observed("false", &[&unset, &cleared]),
            (false, false) => observed_other("neither", &[&unset, &set, &cleared]),
        }
    })
}

async fn any_location(probe: Probe, search: Search) -> ObservationResult {
    let narrow: Filters = vec![("countries", country_of_an_office(&probe, &search).await?)];
    let mut wide = narrow.clone();
    wide.push(("headquarters_only", "false".to_owned()));
    let (narrow, wide) = (
        page(&probe, &search, &narrow).await?,
        page(&probe, &search, &wide).await?,
    );
    rejected_or(&wide, || match total_count(&wide) > total_count(&narrow) {
        true => observed("any-location", &[&wide, &narrow]),
        false => observed("headquarters", &[&wide, &narrow]),
    })
}

async fn alone(probe: Probe, search: Search) -> ObservationResult {
    let bare = bare(&probe, &search).await?;
    let page = page(&probe, &search, &vec![("headquarters_only", "false".to_owned())]).await?;
    rejected_or(&page, || match same(&search, &bare, &page) {
        true => observed("nothing", &[&page, &bare]),
        false => observed("something", &[&page, &bare]),
    })
}
