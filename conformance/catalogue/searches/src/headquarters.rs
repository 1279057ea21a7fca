//! Cases about `headquarters_only`: which locations the filters on countries and regions check.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::calls::{Search, Walk, count, ids, results, total_count, walk};
use crate::keeps::{FLAG, Filters, filter, keeping, places};
use crate::order::{Violation, assert_law, filtered, pages, prefix};
use engine::case::Case;
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

const GROUP: &str = "search-headquarters";
/// The number of pages to take places from.
const PAGES: i64 = 3;
/// The filters on places, each with the member of an address.
const PLACES: [(&str, &str); 2] = [("countries", "country"), ("regions", "region")];

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    Search::all(contract).iter().flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Case> {
    let case = |law: &str, title: &str| {
        let case = search.case(GROUP, law, title, search.place_of(FLAG));
        // The search with `false` is walked to the end of its reach, for one place or two.
        case.needs(search.needs()).sends(40)
    };
    let mut cases = vec![
        search
            .case(
                GROUP,
                "default-is-true",
                "The default is true",
                search.at(FLAG, "default"),
            )
            // The default is stated, but the name of the parameter that shows it is decided.
            .and(search.place_of(FLAG))
            .point("headquarters-only-default")
            .needs(search.needs())
            .check_with(search.clone(), default_is_true),
        case(
            "alone-changes-nothing",
            "Without a filter on places the parameter changes nothing",
        )
        .quote("Without either of them, it has no effect.")
        .point("headquarters-only-alone")
        .check_with(search.clone(), alone_changes_nothing),
        case(
            "another-location-may-meet-each",
            "With false, a country and a region may match two locations of a record",
        )
        .primary_quote(
            search.place_of("countries"),
            "If regions is given too, different locations may match the two.",
        )
        .point("places-together")
        .check_with(search.clone(), met_apart),
    ];
    cases.extend(PLACES.map(|(name, member)| {
        case(
            &format!("false-looks-at-all-{name}"),
            &format!("With false, {name} keeps records with any location there"),
        )
        .quote("or any location, the headquarters included (false)")
        .and(search.place_of(name))
        .point("headquarters-only-false")
        .check_with((search.clone(), name, member), any_location)
    }));
    cases
}

async fn default_is_true(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    // `false` finds more in such a place, so the two differ.
    let places = PLACES
        .iter()
        .filter_map(|(name, member)| elsewhere(&search, &all.results, name, member));
    let places: Vec<_> = places.collect();
    if places.is_empty() {
        return probe.inconclusive("an organization with a location outside the country of its headquarters");
    }
    for places in &places {
        compare_with_true(&probe, &search, places).await?;
    }
    Ok(())
}

/// Compares the default with `true`, and with itself on another page: a page that is remembered without the parameter
/// is returned for its default, too.
async fn compare_with_true(probe: &Probe, search: &Search, places: &Filters) -> Outcome {
    let most = search.number("limit", "maximum");
    let page = async |flag: Option<&str>, limit: i64| {
        let call = filter(search.call(probe)?, places).query_some(FLAG, flag);
        probe.ok(call.query("limit", limit).send().await?)
    };
    page(Some("false"), most).await?;
    let bare = page(None, most).await?;
    let said = page(Some("true"), most).await?;
    let mut others = vec![page(None, most - 1).await?];
    let unlike = unlike(probe, search, places).await?;
    let (name, place) = &places[0];
    let what = format!("the search with {name}={place}, compared with {FLAG}=true");
    probe.assert_same(&what, &said.body, &bare.body, &[&bare, &said]);
    let ids = |page| ids(search.finds, results(page));
    // A deployment on which the parameter has an effect knows it, and has the stated default.
    probe.assert_as(
        Some(BTreeSet::new()),
        ids(&bare) == ids(&said),
        &what,
        format!("those with {FLAG}=true"),
        "other records",
        &[&bare, &said],
    );
    if has_the_same(&ids(&unlike), &ids(&bare)) && total_count(&unlike) == count(results(&unlike)) {
        others.push(unlike);
    }
    // On a deployment where `false` and the default are the same, each such search has them.
    let remembered = strays(search, &places[0], &bare);
    let other = others.iter().find(|other| strays(search, &places[0], other).is_empty());
    probe.assert_as(
        Some(BTreeSet::new()),
        remembered.is_empty() || other.is_none(),
        &format!("the search with {name}={place}, after the same search with {FLAG}=false"),
        "no organization with its headquarters elsewhere, as in a search that was not made with false before",
        format!("the records {remembered:?}"),
        &std::iter::once(&bare).chain(other).collect::<Vec<_>>(),
    );
    Ok(())
}

/// Whether a search finds some of the records of another, and no others. A search for another known record finds the
/// one of that search, too.
fn has_the_same(found: &[i64], all: &[i64]) -> bool {
    let further = found.iter().filter(|id| !all.contains(id)).count();
    further <= 1 && further < found.len()
}

/// The largest page for another text, or for another known record.
async fn unlike(probe: &Probe, search: &Search, places: &Filters) -> Result<HttpResponse, Stop> {
    let call = if search.is_by_known_record() {
        let known = search.walked(probe, PAGES).await?;
        let id = known.results.iter().map(|result| search.finds.id(result)).next_back();
        search.call_with(probe, id.unwrap_or_default())
    } else {
        let words = search.text(probe).split(' ').rev().collect::<Vec<_>>();
        search.call_with(probe, words.join(" "))
    };
    probe.ok(filter(call, places)
        .query("limit", search.number("limit", "maximum"))
        .send()
        .await?)
}

/// The results whose headquarters are in another place than a filter names.
fn strays(search: &Search, (name, place): &(&'static str, String), page: &HttpResponse) -> Vec<i64> {
    let member = PLACES
        .iter()
        .find(|(filter, _)| filter == name)
        .map(|(_, member)| *member);
    let is_elsewhere = |result: &&Value| {
        let organization = search.finds.organization(result);
        let headquarters = member.and_then(|member| places(organization, member, true).next());
        headquarters.is_some_and(|seen| seen != place)
    };
    let strays = results(page).iter().filter(is_elsewhere);
    strays.map(|result| search.finds.id(result)).collect()
}

async fn alone_changes_nothing(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    if all.results.is_empty() {
        return probe.inconclusive("a search that finds a record");
    }
    for value in ["false", "true"] {
        let page = probe.ok(search.call(&probe)?.query(FLAG, value).send().await?)?;
        let departures = prefix(search.finds, results(&page), &all.results);
        let evidence = [&page, &all.pages[0]];
        assert_law(
            &probe,
            &format!("the search with {FLAG}={value}"),
            &departures,
            &evidence,
        );
        let (expected, seen) = (all.total_count, total_count(&page));
        probe.assert(seen == expected, "total_count", expected, seen, &evidence);
    }
    Ok(())
}

async fn met_apart(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let Some((id, places)) = places_apart(&search, &all.results) else {
        return probe.inconclusive("an organization with a location in one country, and one in a region of another");
    };
    let call = || Ok(filter(search.call(&probe)?, &places));
    let most = search.number("limit", "maximum");
    let found = walk(&probe, &call, most, search.reach).await?;
    let ids = ids(search.finds, &found.results);
    probe.assert(
        ids.contains(&id),
        "the results",
        format!("{id}, which has a location in the country and another one in the region"),
        format!("{} others", ids.len()),
        &found.evidence(),
    );
    Ok(())
}

/// A record, with a country and a region that match two of its locations and no single one.
pub fn places_apart(search: &Search, records: &[Value]) -> Option<(i64, Filters)> {
    records.iter().find_map(|record| {
        let organization = search.finds.organization(record);
        let others = organization["locations"].as_array().into_iter().flatten();
        let locations: Vec<_> = std::iter::once(&organization["headquarters"])
            .chain(others)
            .map(|location| (location["country"].as_str(), location["region"].as_str()))
            .collect();
        let countries = locations.iter().filter_map(|(country, _)| *country);
        let pairs = countries.flat_map(|country| {
            let regions = locations.iter().filter_map(|(_, region)| *region);
            regions.map(move |region| (country, region))
        });
        let mut apart = pairs.filter(|(country, region)| !locations.contains(&(Some(country), Some(region))));
        let (country, region) = apart.next()?;
        let places = [("countries", country), ("regions", region), (FLAG, "false")];
        let filters = places.map(|(name, value)| (name, value.to_owned()));
        Some((search.finds.id(record), filters.into()))
    })
}

/// Compares the records with any location in a place with those whose headquarters are there. If it is not known where
/// the headquarters of some record are, it does so once more in a place where that record has a location.
async fn any_location(probe: Probe, (search, name, member): (Search, &'static str, &'static str)) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let Some(place) = elsewhere(&search, &all.results, name, member) else {
        let looked_for = format!("an organization with a location in another {member} than its headquarters");
        return probe.inconclusive(looked_for);
    };
    compare_places(&probe, &search, &all, &place).await?;
    let is_unknown = |record: &&Value| places(search.finds.organization(record), member, true).next().is_none();
    // There are few such records, so all that can be reached are looked at.
    let all = search.walked(&probe, i64::MAX).await?;
    let without: Vec<_> = all.results.iter().filter(is_unknown).cloned().collect();
    match elsewhere(&search, &without, name, member) {
        Some(other) if other != place => compare_places(&probe, &search, &all, &other).await,
        _ => Ok(()),
    }
}

async fn compare_places(probe: &Probe, search: &Search, all: &Walk, place: &Filters) -> Outcome {
    let most = search.number("limit", "maximum");
    let narrow = walk(probe, &|| Ok(filter(search.call(probe)?, place)), most, most).await?;
    let mut wide_filters = place.clone();
    wide_filters.push((FLAG, "false".to_owned()));
    let wide = walk(
        probe,
        &|| Ok(filter(search.call(probe)?, &wide_filters)),
        most,
        search.reach,
    )
    .await?;
    let keeps = keeping(search.finds, &wide_filters);
    let mut departures = filtered(search.finds, all, &wide, keeps, |_| None);
    departures.extend(pages(&wide, &[], search.reach));
    let evidence: Vec<_> = wide.pages.iter().chain(&narrow.pages).collect();
    let (name, value) = &place[0];
    let probe = &probe.about([*name, FLAG]);
    let law = format!("the search with {name}={value}&{FLAG}=false");
    assert_law(probe, &law, &departures, &evidence);
    let lost = lost(search, &narrow.results, &wide.results);
    assert_law(probe, &format!("{law}, compared with {FLAG}=true"), &lost, &evidence);
    probe.assert(
        wide.total_count > narrow.total_count,
        "total_count",
        format!(
            "more than the {} with {FLAG}=true: one more was seen",
            narrow.total_count
        ),
        wide.total_count,
        &evidence,
    );
    Ok(())
}

/// Checks that every record found by its headquarters is also found by any location.
fn lost(search: &Search, narrow: &[Value], wide: &[Value]) -> Vec<Violation> {
    let found: BTreeSet<_> = wide.iter().map(|result| search.finds.id(result)).collect();
    let lost = narrow
        .iter()
        .map(|result| search.finds.id(result))
        .filter(|id| !found.contains(id));
    lost.map(|id| Violation {
        what: "the results",
        expected: "all results by headquarters".to_owned(),
        seen: format!("{id} is missing"),
    })
    .collect()
}

/// Returns a filter on a place where some record has a location but not its headquarters: the place with the fewest
/// such records, so that all of them can be reached. A place where others have their headquarters goes first.
fn elsewhere(search: &Search, records: &[Value], name: &'static str, member: &'static str) -> Option<Filters> {
    let mut times = BTreeMap::<&str, usize>::new();
    let mut headquarters_of_any = BTreeSet::new();
    for record in records {
        let organization = search.finds.organization(record);
        let headquarters: Vec<_> = places(organization, member, true).collect();
        headquarters_of_any.extend(headquarters.iter().copied());
        let all: BTreeSet<_> = places(organization, member, false).collect();
        all.into_iter()
            .filter(|place| !headquarters.contains(place))
            .for_each(|place| *times.entry(place).or_default() += 1);
    }
    let keeps_none = |place| !headquarters_of_any.contains(place);
    let (place, _) = times
        .into_iter()
        .min_by_key(|(place, times)| (keeps_none(*place), *times))?;
    Some(vec![(name, place.to_owned())])
}
