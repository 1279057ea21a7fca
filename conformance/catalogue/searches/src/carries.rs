//! What the source lists of a result, found by words in the names of fields: the names themselves are decided.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::calls::{Finds, Search, distance, results};
use engine::session::Probe;
use engine::session::search_form::{is_organization, names_organization, plain};
use engine::verdict::Outcome;

/// The number of results that have to be seen. A few may lack much.
const RESULTS: usize = 10;

/// One thing that the source lists.
struct Listed {
    /// What it is called in a finding.
    shown: &'static str,
    /// Words that a field's name contains if the field shows it, or parts of them, separated by spaces. With `=`, it is
    /// the whole name.
    words: &'static str,
    of: Of,
}

/// Whose it is, where organizations have the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Of the record or of the organization that comes with it.
    Either,
    Record,
    Organization,
}

const fn listed(shown: &'static str, words: &'static str) -> Listed {
    Listed {
        shown,
        words,
        of: Of::Either,
    }
}

const fn of(of: Of, listed: Listed) -> Listed {
    Listed { of, ..listed }
}

const NAME: &str = "name title label";
const DESCRIPTION: &str = "descri about summary overview profile tagline abstract text";
const SIZE: &str = "employ headcount staff workforce people personnel fte size";
const FUNDING: &str = "fund rais capital invest round financ";
const LOCATION: &str = "headquarter hq address location street city town postal zip place office seat geo";
const COUNTRY: &str = "country nation iso2";
const REGION: &str = "region state province county prefecture canton subdivision area";
/// A product may show no more than the country of its organization.
const LOCATION_OF_PRODUCT: &str =
    "headquarter hq address location city town place office geo country nation region state";
/// The names of scores, without marks between words.
const SCORES: [&str; 8] = [
    "cosinedistance",
    "cosinesimilarity",
    "distance",
    "relevance",
    "relevancescore",
    "score",
    "similarity",
    "similarityscore",
];
const CONTACT: &str = "contact mail phone";

/// What a result of a search for organizations carries.
const ORGANIZATION: [Listed; 13] = [
    listed("name", NAME),
    listed("description", DESCRIPTION),
    listed("domain", "domain host fqdn"),
    listed(
        "logo",
        "logo icon image img picture avatar brand thumbnail photo emblem",
    ),
    listed("employee count", SIZE),
    listed(
        "founding date",
        "found establish incorporat inception since start launch year birth",
    ),
    listed("funding information", FUNDING),
    listed("headquarters address", LOCATION),
    listed("country", COUNTRY),
    listed("region", REGION),
    listed("website", "website homepage webpage siteurl weburl =web =site =www"),
    listed(
        "social media profiles",
        "social linkedin twitter facebook instagram youtube github xurl network",
    ),
    listed("contact details", CONTACT),
];
/// What a result of a search for products carries.
const PRODUCT: [Listed; 12] = [
    of(Of::Record, listed("name", NAME)),
    of(Of::Record, listed("description", DESCRIPTION)),
    listed("features", "feature capabilit function benefit highlight spec"),
    listed("pricing information", "pric cost plan billing tier fee subscription"),
    listed(
        "categories",
        "category categories tag type topic vertical industr taxonom class",
    ),
    listed(
        "target audiences",
        "audience target persona customer user buyer segment",
    ),
    listed("revenue models", "revenue moneti businessmodel income earning"),
    listed(
        "competitive positioning",
        "compet position differentia advantage rival alternative strength",
    ),
    of(Of::Organization, listed("organization name", NAME)),
    listed("size of the organization", SIZE),
    listed("location of the organization", LOCATION_OF_PRODUCT),
    listed("funding of the organization", FUNDING),
];

fn list(finds: Finds) -> &'static [Listed] {
    match finds {
        Finds::Organizations => &ORGANIZATION,
        Finds::Products => &PRODUCT,
    }
}

/// Reports what the source lists and no result of a page shows. Of a deployment whose names have hardly any of the
/// words, nothing can be said.
pub(crate) async fn all_that_is_listed(probe: Probe, search: Search) -> Outcome {
    let page = probe.ok(search.call(&probe)?.send().await?)?;
    let results = results(&page);
    if results.len() < RESULTS {
        return probe.inconclusive(format!("{RESULTS} results of one search"));
    }
    let list = list(search.finds);
    let shown = shown(list, results);
    let lacking = (0..list.len()).filter(|position| shown & 1 << position == 0);
    let lacking: Vec<_> = lacking.map(|position| list[position].shown).collect();
    if 3 * lacking.len() > list.len() {
        return probe.inconclusive("results whose fields have English names");
    }
    probe.assert_as(
        Some([].into()),
        lacking.is_empty(),
        "what the results carry, whatever the names of their fields",
        "all that the source lists",
        format!(
            "nothing that could be the {} in {} results",
            lacking.join(" or the "),
            results.len()
        ),
        &[&page],
    );
    let wordy = results.iter().find_map(score_in_words);
    let is_scored = results.iter().any(|result| distance(result).is_finite());
    probe.assert_as(
        Some([].into()),
        is_scored || wordy.is_none(),
        "the similarity scores of the results",
        "numbers: cosine distance measurements",
        wordy.unwrap_or_default(),
        &[&page],
    );
    Ok(())
}

/// A text where a result has its score.
fn score_in_words(result: &Value) -> Option<&str> {
    let mut members = result.as_object()?.iter();
    members.find_map(|(name, member)| match member {
        Value::String(text) if SCORES.contains(&plain(name).as_str()) => Some(text.as_str()),
        member => score_in_words(member),
    })
}

/// What any of these results shows, as bits of a list.
fn shown(list: &[Listed], results: &[Value]) -> u32 {
    let mut names = BTreeMap::new();
    let mut shown = 0;
    for result in results {
        add_shown(list, &mut names, result, Within::default(), &mut shown);
    }
    shown
}

/// Where a value is within a result.
#[derive(Clone, Copy, Default)]
struct Within {
    /// What the names that lead there say.
    says: u32,
    is_of_organization: bool,
    /// Whether the last of these names is a word for an organization.
    is_organization: bool,
}

/// Adds what a value shows. What its own name does not say, the names around it do: `contact.person` is a contact.
fn add_shown<'a>(
    list: &[Listed],
    names: &mut BTreeMap<&'a str, Within>,
    value: &'a Value,
    within: Within,
    shown: &mut u32,
) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                let own = *names.entry(name).or_insert_with(|| said(list, name));
                let is_of_organization = within.is_of_organization || own.is_of_organization;
                let around = within.says & !general(list);
                let says = match own.says & of_whom(list, is_of_organization) {
                    0 => within.says,
                    // A name or a description of something else that is listed: `headquarters.region_name`.
                    says if says & !general(list) == 0 && around != 0 => within.says,
                    says if says & !general(list) == 0 => says,
                    // The country of an address is one of it. A social media profile is not a website.
                    says => says & !general(list) | around & bits(list, is_place),
                };
                let within = Within {
                    says,
                    is_of_organization,
                    is_organization: own.is_organization,
                };
                add_shown(list, names, member, within, shown);
            }
        }
        Value::Array(entries) if !entries.is_empty() => entries
            .iter()
            .for_each(|entry| add_shown(list, names, entry, within, shown)),
        Value::String(text) => *shown |= within.says | said_by_text(list, within, text),
        // A field without a value is a field.
        _ => *shown |= within.says,
    }
}

/// What a name says.
fn said(list: &[Listed], name: &str) -> Within {
    let (is_of_organization, is_organization) = (names_organization(name), is_organization(name));
    let name = plain(name);
    let is_said = |word: &str| match word.strip_prefix('=') {
        Some(whole) => name == whole,
        None => name.contains(word),
    };
    let has = |listed: &Listed| listed.words.split(' ').any(is_said);
    Within {
        says: bits(list, has),
        is_of_organization,
        is_organization,
    }
}

/// What a text shows that its name does not say.
fn said_by_text(list: &[Listed], within: Within, text: &str) -> u32 {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    bits(list, |listed| match listed.shown {
        "domain" => within.says == 0 && is_domain(text),
        "website" => within.says == 0 && host.is_some_and(|host| is_domain(host.trim_end_matches('/'))),
        // An address in one line.
        "country" | "region" => within.says == bits(list, |one| one.words == LOCATION) && text.contains(", "),
        // The organization is named, and nothing else is shown of it.
        "organization name" => within.is_organization,
        _ => false,
    })
}

/// Whether a text is a domain: `acme.example`.
fn is_domain(text: &str) -> bool {
    let labels: Vec<_> = text.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty()
            && label
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    };
    let ends_in_letters = labels
        .last()
        .is_some_and(|last| last.len() > 1 && last.chars().all(|letter| letter.is_ascii_alphabetic()));
    labels.len() > 1 && labels.iter().all(is_label) && ends_in_letters
}

/// What may be said of a record, or of the organization that comes with it.
fn of_whom(list: &[Listed], is_of_organization: bool) -> u32 {
    let other = if is_of_organization {
        Of::Record
    } else {
        Of::Organization
    };
    bits(list, |listed| listed.of != other)
}

/// What many things have.
fn general(list: &[Listed]) -> u32 {
    bits(list, |listed| [NAME, DESCRIPTION].contains(&listed.words))
}

/// Whether it is the location of an organization.
fn is_place(listed: &Listed) -> bool {
    [LOCATION, LOCATION_OF_PRODUCT].contains(&listed.words)
}

fn bits(list: &[Listed], is_one: impl Fn(&Listed) -> bool) -> u32 {
    let ones = list.iter().map(|listed| u32::from(is_one(listed)));
    ones.rev().fold(0, |bits, one| bits << 1 | one)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lacking(finds: Finds, result: Value) -> Vec<&'static str> {
        let list = list(finds);
        let shown = shown(list, &[result]);
        let lacking = list.iter().enumerate();
        let lacking = lacking.filter(|(position, _)| shown & 1 << position == 0);
        lacking.map(|(_, listed)| listed.shown).collect()
    }

    #[test]
    fn what_is_listed_is_found_whatever_its_names_and_places() {
        let nested = json!({
            "company": {"name": "Acme", "tagline": "Sells things", "domain": "acme.example", "logo_url": null},
            "metrics": {"headcount": 3, "foundedOn": "2001-02-03", "funding": {"total": 4}},
            "headquarters": {"street": "a", "country_name": "Norway", "state": "Viken"},
            "contact": {"website": "https://acme.example", "person": "b", "socials": []},
        });
        assert_eq!(lacking(Finds::Organizations, nested), [""; 0]);
        let flat = json!({
            "organization_name": "Acme", "about": "Sells things", "home": "acme.example", "icon": "i", "employees": 3,
            "since": 2001, "total_raised": 4, "location": "Storgata 1, Oslo, Norway", "url": "https://acme.example/",
            "linkedin": "l", "e-mail": "m",
        });
        assert_eq!(lacking(Finds::Organizations, flat), [""; 0]);
        let product = json!({
            "name": "Anvil", "summary": "Heavy", "capabilities": ["a"], "price": 3, "tags": [], "personas": ["b"],
            "revenue_models": ["c"], "alternatives": "d", "vendor": "Acme", "company_size": 4, "company_country": "NO",
            "company_raised": 5,
        });
        assert_eq!(lacking(Finds::Products, product), [""; 0]);
    }

    #[test]
    fn names_of_other_things_do_not_count() {
        let organization = json!({
            "domain": "acme.example", "logo": "l", "metrics": {"employees": 3, "founded": 2001, "funding": {}},
            "headquarters": {"city": "Oslo", "region_name": "Oslo"}, "website": "w", "social": {}, "contact": {"website": "w"},
        });
        let expected = ["name", "description", "country", "contact details"];
        assert_eq!(lacking(Finds::Organizations, organization), expected);
        let web = json!({"web": {"linkedin": "l", "email": "m"}, "sites": [{"city": "Oslo"}]});
        assert!(lacking(Finds::Organizations, web).contains(&"website"));
        let product = json!({
            "organization": {"name": "Acme", "description": "Sells", "id": 3},
            "features": [{"name": "a", "description": "b"}], "pricing": {"model": "c"},
        });
        let lacking = lacking(Finds::Products, product);
        assert_eq!(lacking[..2], ["name", "description"]);
        assert!(!lacking.contains(&"organization name"), "{lacking:?}");
    }

    #[test]
    fn description_of_an_organization_is_not_its_name() {
        let flat = |name: &str| json!({"product_name": "Anvil", "organization_description": "Sells", name: "Acme"});
        assert!(lacking(Finds::Products, flat("organization_domain")).contains(&"organization name"));
        for name in ["organization_name", "organization", "Vendor"] {
            assert!(
                !lacking(Finds::Products, flat(name)).contains(&"organization name"),
                "{name}"
            );
        }
    }

    #[test]
    fn score_is_in_words_if_a_text_has_its_name() {
        assert_eq!(score_in_words(&json!({"id": 1, "_score": "high"})), Some("high"));
        assert_eq!(
            score_in_words(&json!({"match": {"Similarity-Score": "low"}})),
            Some("low")
        );
        let other = json!({"similarity": {"method": "cosine", "value": 0.5}, "score_reason": "alike"});
        assert_eq!(score_in_words(&other), None);
    }
}
