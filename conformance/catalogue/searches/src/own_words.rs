//! A case about records and their own descriptions: a search by meaning finds a record near to its own.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::calls::{Finds, Search, distance, results};
use crate::ranking::{GROUP, Sentences, found};
use engine::case::Case;
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The number of records to search for.
const SEARCHED_FOR: usize = 5;
/// The number of results that a record is nearer to its own description than.
const FOUND: usize = 200;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let finds = [Finds::Organizations, Finds::Products];
    let searches = finds
        .iter()
        .filter_map(|finds| Search::by_description(contract, *finds));
    searches.map(|search| of_search(&search)).collect()
}

fn of_search(search: &Search) -> Case {
    search
        .case(
            GROUP,
            "own-description-finds-the-record",
            "A record is nearer to its own description than to those of others",
            &search.operation.pointer,
        )
        .quote(Sentences::of(search.finds).meaning)
        .and(search.operation.response_pointer(200))
        .point("search-own-words")
        .check_with(search.clone(), own_words)
}

async fn own_words(probe: Probe, search: Search) -> Outcome {
    let walk = found(&probe, &search).await?;
    let described = described(&search, &walk.results);
    let middle = described.get(described.len() / 2);
    for (record, text) in described.first().into_iter().chain(middle) {
        assert_found(&probe, &search, record, text).await?;
    }
    let compared = OwnWords::compare(&probe, &search, &walk.results).await?;
    if compared.pairs == 0 {
        return probe.inconclusive("two records with different descriptions");
    }
    let expected = format!(
        "a record nearer to its own description than to another's in at least {} of {} comparisons by {} and \
         cosine_distance, ties counted half",
        compared.pairs * 3 / 4,
        compared.pairs,
        search.finds.id_member()
    );
    let seen = format!("{} of {}", compared.wins(), compared.pairs);
    let evidence: Vec<_> = compared.pages.iter().collect();
    let what = "the results for the descriptions of some records";
    probe.assert(compared.is_near(), what, expected, seen, &evidence);
    Ok(())
}

/// Asserts that a search for the description of a record finds the record, at whatever distance. A search for another
/// text found it, and a result that is not among hundreds is none.
async fn assert_found(probe: &Probe, search: &Search, record: &Value, text: &str) -> Outcome {
    if record["description"] != text {
        return Ok(());
    }
    let (limit, last) = (search.number("limit", "maximum"), search.number("skip", "maximum"));
    let mut pages: Vec<HttpResponse> = Vec::new();
    let mut found = 0;
    for page in 0..=last / limit.max(1) {
        let call = search.call_with(probe, text).query("limit", limit);
        let response = match page {
            0 => call.send().await?,
            _ => call.query("skip", page * limit).send().await?,
        };
        // A deployment may end its pages in other ways.
        if response.status != 200 {
            break;
        }
        let on_page = results(&response);
        if on_page
            .iter()
            .any(|other| search.finds.id(other) == search.finds.id(record))
        {
            found = 0;
            break;
        }
        found += on_page.len();
        let is_last = on_page.is_empty();
        pages.push(response);
        if is_last {
            break;
        }
    }
    let evidence: Vec<_> = pages.first().into_iter().chain(pages.last()).collect();
    probe.assert_as(
        Some(BTreeSet::new()),
        found < FOUND,
        &format!(
            "the results for the description of the record {}",
            search.finds.id(record)
        ),
        "this record among them",
        format!("{found} others"),
        &evidence,
    );
    Ok(())
}

/// A comparison of the distances of records to their own descriptions and to those of the others. A search by meaning
/// finds a record nearer to its own description; the contract does not promise that it is first.
pub struct OwnWords {
    /// The number of comparisons of a record's distance to its own description and to another.
    pairs: usize,
    /// Twice the number of comparisons that its own description won; a tie counts once.
    points: usize,
    /// The results for each of the descriptions.
    pub pages: Vec<HttpResponse>,
}

impl OwnWords {
    /// Searches for the descriptions of a few of these records, from all over the list.
    pub async fn compare(probe: &Probe, search: &Search, records: &[Value]) -> Result<Self, Stop> {
        let described = described(search, records);
        let step = (described.len() / SEARCHED_FOR).max(1);
        let sample: Vec<_> = described.iter().step_by(step).take(SEARCHED_FOR).collect();
        let mut pages = Vec::new();
        for (_, text) in &sample {
            let call = search.call_with(probe, text);
            let most = search.number("limit", "maximum");
            pages.push(probe.ok(call.query("limit", most).send().await?)?);
        }
        let found: Vec<_> = pages.iter().map(results).collect();
        let (pairs, points) = won(search.finds, &sample, &found);
        Ok(Self { pairs, points, pages })
    }

    /// Whether records were compared, and are nearer to their own descriptions in three of four comparisons.
    pub fn is_near(&self) -> bool {
        self.pairs > 0 && self.points * 2 >= self.pairs * 3
    }

    /// The number of comparisons that the own description won; a tie counts half.
    fn wins(&self) -> f64 {
        f64::from(u32::try_from(self.points).unwrap_or(u32::MAX)) / 2.0
    }
}

/// The number of comparisons of each record with the descriptions of the others, and twice the number that its own
/// description won; a tie counts once. `found` holds the results for each description.
fn won(finds: Finds, sample: &[&(&Value, String)], found: &[&[Value]]) -> (usize, usize) {
    let (mut pairs, mut points) = (0, 0);
    for ((record, text), own) in sample.iter().zip(found) {
        for ((_, other_text), other) in sample.iter().zip(found) {
            if other_text != text {
                let own = place(finds, record, own);
                pairs += 1;
                points += match own.total_cmp(&place(finds, record, other)) {
                    Ordering::Less => 2,
                    Ordering::Equal => 1,
                    Ordering::Greater => 0,
                };
            }
        }
    }
    (pairs, points)
}

/// The distance of a record on a page. A record that is not on the page is further away than all that are.
fn place(finds: Finds, record: &Value, results: &[Value]) -> f64 {
    let itself = results.iter().find(|result| finds.id(result) == finds.id(record));
    itself.map_or(f64::INFINITY, distance)
}

/// Records with their own descriptions, each no longer than a text to search for may be.
pub(crate) fn described<'a>(search: &Search, records: &'a [Value]) -> Vec<(&'a Value, String)> {
    let longest = usize::try_from(search.number("description", "maxLength")).unwrap_or(usize::MAX);
    let texts = records
        .iter()
        .filter_map(|record| Some((record, record["description"].as_str()?)));
    let texts = texts.filter(|(_, text)| !text.trim().is_empty());
    texts
        .map(|(record, text)| (record, text.chars().take(longest).collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_is_compared_at_its_own_description_and_at_others() {
        let record =
            |id: i64, distance: f64| json!({"organization_id": id, "similarity": {"cosine_distance": distance}});
        let records: Vec<_> = [1, 2, 3].map(|id| record(id, 0.0)).into();
        let texts = ["a", "b", "b"].map(str::to_owned);
        let sample: Vec<_> = records.iter().zip(texts).collect();
        let sample: Vec<_> = sample.iter().collect();
        let won = |pages: [&[(i64, f64)]; 3]| {
            let pages = pages.map(|page| page.iter().map(|one| record(one.0, one.1)).collect::<Vec<_>>());
            let found: Vec<_> = pages.iter().map(Vec::as_slice).collect();
            super::won(Finds::Organizations, &sample, &found)
        };
        // The descriptions of 2 and 3 are the same and are not compared.
        let for_b = [(2, 0.1), (3, 0.2)];
        assert_eq!(won([&[(1, 0.1)], &for_b, &for_b]), (4, 8));
        let same = [(1, 0.1), (2, 0.1), (3, 0.1)];
        assert_eq!(won([&same; 3]), (4, 4));
        assert_eq!(won([&for_b, &[(1, 0.3)], &[(1, 0.3)]]), (4, 0));
    }
}
