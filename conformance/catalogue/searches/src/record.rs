//! Cases about what a record holds, whatever found it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::calls::{Finds, Search, Walk, total_count};
use crate::carries::all_that_is_listed;
use crate::keeps::filter;
use crate::ranking::{GROUP, plain_record};
use crate::seen::bound_just_missed;
use engine::case::Case;
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// A text without a word of any language.
const NO_WORD: &str = "qzxv wkrj";
/// The number of known records to search by.
const KNOWN: usize = 7;
/// How many organizations have to list their headquarters before it cannot be chance.
const OFFICES: usize = 5;
/// The number of pages whose records are read.
const PAGES: i64 = 3;

/// The cases about records, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let searches = Search::all(contract);
    let no_empty_text = |search: &Search| {
        let schema = match search.finds {
            Finds::Organizations => "/components/schemas/Organization",
            Finds::Products => "/components/schemas/Product",
        };
        let title = "A text that is not known is null, and no text is empty";
        search
            .case(GROUP, "no-text-is-empty", title, schema)
            .quote("No text is empty.")
            .and(search.operation.response_pointer(200))
            .point("unknown-text")
            .needs(search.needs())
            .check_with(search.clone(), texts)
    };
    let count_the_same = |search: &Search| {
        let title = "A search by any known record finds all records but that one";
        search
            .case(GROUP, "known-records-count-the-same", title, &search.operation.pointer)
            .quote(match search.finds {
                Finds::Organizations => "The known organization is neither in its own results nor counted.",
                Finds::Products => "The known product is neither in its own results nor counted.",
            })
            .and_quote(
                &search.operation.response_pointer(200),
                "total_count counts all that pass the filters",
            )
            .point("search-known-record")
            .needs(search.needs())
            // Two searches for all, and the walks that the known records are taken from.
            .sends(30 + KNOWN as u64)
            .check_with(search.clone(), known_records)
    };
    let texts_count = |search: &Search| {
        let title = "Searches for different texts find the same number of records";
        search
            .case(GROUP, "texts-count-the-same", title, &search.operation.pointer)
            .quote("Filters are applied before ranking, so total_count and the pages are exact.")
            .point("search-envelope")
            .check_with(search.clone(), different_texts)
    };
    let other_offices = |search: &Search| {
        let locations = "/components/schemas/Organization/properties/locations";
        let title = "locations holds other offices than the headquarters";
        search
            .case(GROUP, "locations-are-other-offices", title, locations)
            .and(search.operation.response_pointer(200))
            .point("organization-fields")
            .needs(search.needs())
            .check_with(search.clone(), offices)
    };
    let carries = |search: &Search| {
        let title = "The results carry all that the source lists, whatever the names of their fields";
        let (schema, listed) = match search.finds {
            Finds::Organizations => (
                "/components/schemas/OrganizationSearchResult",
                "core details, company metrics, location data, contact information and similarity scores",
            ),
            Finds::Products => (
                "/components/schemas/ProductSearchResult",
                "product details, business context, company information, market intelligence and the organization \
                 associated with it",
            ),
        };
        search
            .case(GROUP, "results-carry-what-is-listed", title, schema)
            .quote(listed)
            .on([search.operation.id.as_str()])
            .needs(search.needs())
            .check_with(search.clone(), all_that_is_listed)
    };
    let by_text = searches.iter().filter(|search| !search.is_by_known_record());
    let by_record = searches.iter().filter(|search| search.is_by_known_record());
    searches
        .iter()
        .map(carries)
        .chain(searches.iter().map(no_empty_text))
        .chain(searches.iter().map(other_offices))
        .chain(by_record.map(count_the_same))
        .chain(by_text.map(texts_count))
        .collect()
}

/// Searches for the example of the contract, and for a text that shares no word with anything.
async fn different_texts(probe: Probe, search: Search) -> Outcome {
    let usual = probe.ok(search.call(&probe)?.query("limit", 1).send().await?)?;
    let other = probe.ok(search.call_with(&probe, NO_WORD).query("limit", 1).send().await?)?;
    let (expected, seen) = (usual.at("/total_count"), other.at("/total_count"));
    probe.assert_same("total_count, as for another text", expected, seen, &[&other, &usual]);
    probe.saw_record(&search.operation, &usual)
}

/// Searches by records that differ: each finds all records but itself. A search by description finds all.
async fn known_records(probe: Probe, search: Search) -> Outcome {
    let Some(by_description) = Search::by_description(probe.contract(), search.finds) else {
        return probe.inconclusive("a search by description");
    };
    let walk = by_description.walked(&probe, i64::MAX).await?;
    let Some(by_customers) = Search::by_customers(probe.contract(), search.finds) else {
        return probe.inconclusive("a search by customers");
    };
    // If that search fails, other cases report it.
    let of_customers = by_customers.walked(&probe, i64::MAX).await;
    let of_customers = of_customers.unwrap_or_else(|_| Arc::clone(&walk));
    // What only one search finds may be missing in the index that the other uses.
    if let Some(record) = absent(search.finds, &of_customers.results, &walk.results) {
        let id = search.finds.id(record);
        let page = search.call_with(&probe, id).query("limit", 1).send().await?;
        assert_known(&probe, id, &page, &of_customers);
    }
    let known = telling(search.finds, &walk.results, &of_customers.results);
    if known.is_empty() {
        return probe.inconclusive("records with a description");
    }
    let all = || async { probe.ok(by_description.call(&probe)?.query("limit", 1).send().await?) };
    let before = all().await?;
    let mut pages = Vec::new();
    for record in known {
        let id = search.finds.id(record);
        let page = search.call_with(&probe, id).query("limit", 1).send().await?;
        assert_known(&probe, id, &page, &walk);
        pages.push((id, probe.ok(page)?));
        // It need not pass the filters itself.
        let bounds = ["employee_count_min", "founded_year_min"].iter();
        if let Some(missed) = bounds
            .filter_map(|name| bound_just_missed(&search, name, record))
            .next()
        {
            let page = filter(search.call_with(&probe, id), &missed)
                .query("limit", 1)
                .send()
                .await?;
            assert_known(&probe, id, &page, &walk);
        }
    }
    let expected = total_count(&before);
    if total_count(&all().await?) != expected {
        return Err(Stop::Inconclusive("the number of records changed meanwhile".to_owned()));
    }
    for (id, page) in pages {
        let (expected, seen) = (expected - 1, total_count(&page));
        probe.assert(
            seen == expected,
            &format!("total_count of a search by the known record {id}"),
            format!("{expected}: all that a search by description finds, without the record itself"),
            seen,
            &[&page, &before],
        );
    }
    Ok(())
}

/// Asserts that a record is found by its id, as the source states: another search shows it.
fn assert_known(probe: &Probe, id: i64, page: &HttpResponse, walk: &Walk) {
    let evidence: Vec<_> = std::iter::once(page).chain(walk.pages.first()).collect();
    let what = format!("a search by the record {id}, which another search shows");
    probe.assert_as(
        Some(BTreeSet::new()),
        page.status != 404,
        &what,
        "200",
        page.status,
        &evidence,
    );
}

/// The first record of a search that another search does not find.
fn absent<'a>(finds: Finds, records: &'a [Value], others: &[Value]) -> Option<&'a Value> {
    let others: BTreeSet<_> = others.iter().map(|record| finds.id(record)).collect();
    records.iter().find(|record| !others.contains(&finds.id(record)))
}

/// Records that a search might take for a reason to leave out others: one without customers, one with the description
/// of another, one whose organization has the most records, and some from different countries.
fn telling<'a>(finds: Finds, records: &'a [Value], of_customers: &[Value]) -> Vec<&'a Value> {
    let description = |record: &Value| record["description"].as_str().map(str::to_owned);
    let offered_by = |record: &Value| finds.organization(record)["organization_id"].as_i64();
    let (mut described, mut offered) = (BTreeMap::new(), BTreeMap::new());
    for record in records {
        *described.entry(description(record)).or_insert(0) += 1;
        *offered.entry(offered_by(record)).or_insert(0) += 1;
    }
    let with_text = || records.iter().filter(|record| record["description"].is_string());
    let twin = with_text().find(|record| described[&description(record)] > 1);
    let of_most = with_text().max_by_key(|record| offered[&offered_by(record)]);
    let mut countries = BTreeSet::new();
    let differing = with_text().filter(|record| {
        let country = &finds.organization(record)["headquarters"]["country"];
        countries.insert(country.to_string())
    });
    let without_customers = absent(finds, records, of_customers).filter(|record| record["description"].is_string());
    let mut ids = BTreeSet::new();
    let all = without_customers
        .into_iter()
        .chain(twin)
        .chain(of_most)
        .chain(differing);
    all.filter(|record| ids.insert(finds.id(record))).take(KNOWN).collect()
}

async fn texts(probe: Probe, search: Search) -> Outcome {
    let walk = search.walked(&probe, PAGES).await?;
    let records = walk.results.iter();
    let plain = records.map(|record| plain_record(probe.contract(), search.finds, record));
    let records: Vec<_> = plain.collect();
    if records.is_empty() {
        return probe.inconclusive("a search that finds a record");
    }
    assert_countries(&probe, &search, &walk);
    let mut empty = records
        .iter()
        .filter_map(|record| Some((search.finds.id(record), empty_text(record)?)));
    let first = empty.next();
    let seen = first.as_ref().map_or_else(String::new, |(id, place)| {
        format!(
            "{place} of record {id} is empty, and {} more records have such a text",
            empty.count()
        )
    });
    let expected = "null where nothing is known";
    probe.assert(
        first.is_none(),
        "the texts of the records",
        expected,
        seen,
        &walk.evidence(),
    );
    Ok(())
}

/// Asserts that no country is a truth value, which YAML makes of `NO`. The type is decided, but the source states that
/// there are details of the country.
fn assert_countries(probe: &Probe, search: &Search, walk: &Walk) {
    let country = |record: &Value| search.finds.organization(record)["headquarters"]["country"].clone();
    let wrong = walk.results.iter().find(|record| country(record).is_boolean());
    let seen = wrong.map_or_else(String::new, |record| {
        format!("{} for the record {}", country(record), search.finds.id(record))
    });
    let stated = Some(BTreeSet::new());
    probe.assert_as(
        stated,
        wrong.is_none(),
        "the countries of headquarters",
        "a country, or null",
        seen,
        &walk.evidence(),
    );
}

/// Looks for an organization whose locations do not include its headquarters. A single one may include them because of
/// a mistake in the data; if all do, the list holds all locations instead of the other offices.
async fn offices(probe: Probe, search: Search) -> Outcome {
    let walk = search.walked(&probe, PAGES).await?;
    let organizations = walk.results.iter().map(|record| search.finds.organization(record));
    let known = |address: &Value| address["city"].is_string() && address["country"].is_string();
    let with_offices = organizations.filter_map(|organization| {
        let headquarters = Some(&organization["headquarters"]).filter(|address| known(address))?;
        let locations = organization["locations"].as_array().filter(|all| !all.is_empty())?;
        Some((&organization["organization_id"], locations.contains(headquarters)))
    });
    let with_offices: BTreeMap<_, _> = with_offices.map(|(id, holds)| (id.as_i64(), holds)).collect();
    if with_offices.len() < OFFICES && with_offices.values().all(|holds| *holds) {
        return probe.inconclusive(format!("{OFFICES} organizations with other offices"));
    }
    probe.assert(
        with_offices.values().any(|holds| !holds),
        "the locations of the organizations",
        "other offices than the headquarters",
        format!("the headquarters, for each of {} organizations", with_offices.len()),
        &walk.evidence(),
    );
    Ok(())
}

/// The place of a text in a value that is empty, if there is one.
pub fn empty_text(value: &Value) -> Option<String> {
    let below = |name: String, value: &Value| Some(format!("/{name}{}", empty_text(value)?));
    match value {
        Value::String(text) => text.is_empty().then(String::new),
        Value::Array(entries) => {
            let mut entries = entries.iter().enumerate();
            entries.find_map(|(position, entry)| below(position.to_string(), entry))
        }
        Value::Object(members) => members.iter().find_map(|(name, member)| below(name.clone(), member)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_empty_text_is_found_at_any_depth() {
        let record = |city: Value| json!({"name": "A", "locations": [{"city": "B"}, {"city": city}], "domain": null});
        assert_eq!(empty_text(&record(json!(""))).as_deref(), Some("/locations/1/city"));
        assert_eq!(empty_text(&record(Value::Null)), None);
        assert_eq!(empty_text(&record(json!(" "))), None);
    }
}
