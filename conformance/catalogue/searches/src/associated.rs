//! Cases about the organization that a product comes with, part of the group `search-ranking`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::calls::{Finds, Search, Walk, results};
use crate::keeps::{employee_count, last_round_on, places};
use crate::ranking::GROUP;
use engine::case::Case;
use engine::session::Probe;
use engine::session::search_form::{is_organization, names_organization, plain};
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};

/// Every page that can be reached.
const PAGES: i64 = i64::MAX;
/// The least number of products whose company information is looked for.
const PRODUCTS: usize = 5;
/// How many products with the name of another organization are not a mistake in the data.
const MISNAMED: usize = 3;
/// How many unknown organizations are not a mistake in the data.
const UNKNOWN: usize = 5;
/// Words for other organizations that a record may name beside its own.
const OTHERS: [&str; 8] = [
    "acquir",
    "competitor",
    "customer",
    "group",
    "holding",
    "investor",
    "parent",
    "partner",
];
/// The kinds of names that an organization may have.
const NAMES: [&str; 4] = ["", "display", "legal", "official"];

/// A product comes with its organization.
pub(crate) fn case(search: &Search) -> Case {
    let case = search.case(
        GROUP,
        "product-comes-with-its-organization",
        "A product comes with its organization, the same in every search",
        "/components/schemas/ProductSearchResult",
    );
    let case = case.quote(
        "product details, business context, company information, market intelligence and the organization associated \
         with it",
    );
    let case = case.on([search.operation.id.as_str()]).needs(search.needs());
    // Those by an organization are only for unknown ones.
    let case = case.sends(2 + UNKNOWN as u64);
    case.check_with(search.clone(), organizations_of_products)
}

/// Compares the organizations of products, on pages of the default size and of the largest one. A deployment shows them
/// under this name if any result has one.
async fn organizations_of_products(probe: Probe, search: Search) -> Outcome {
    let mine = search.walked(&probe, PAGES).await?;
    let short = probe.ok(search.call(&probe)?.send().await?)?;
    let others = search.other_walks(&probe).await?;
    let of_product = |product: &Value| product["organization"]["organization_id"].as_i64();
    let own = || results(&short).iter().chain(&mine.results);
    // The other searches count where they know a product.
    let everywhere = own().chain(others.iter().flat_map(|walk| &walk.results));
    let known: BTreeMap<_, _> = everywhere
        .filter_map(|product| Some((search.finds.id(product), of_product(product)?)))
        .collect();
    if known.is_empty() || mine.results.is_empty() {
        let without = mine.results.iter().filter(|product| is_without(product)).count();
        if without < PRODUCTS || without < mine.results.len() {
            assert_no_organizations(&probe, &short).await?;
            return probe.inconclusive("a product with its organization");
        }
        let (what, expected) = ("the organizations of products", "one of each product");
        let seen = format!("null for all of {without} products");
        probe.assert_as(Some(BTreeSet::new()), false, what, expected, seen, &mine.evidence());
        return Ok(());
    }
    let differs = own().find(|product| {
        let organization = of_product(product);
        let elsewhere = known.get(&search.finds.id(product));
        organization.is_none() || elsewhere.is_some_and(|elsewhere| organization != Some(*elsewhere))
    });
    let shown = |organization: Option<i64>| organization.map_or_else(|| "none".to_owned(), |id| id.to_string());
    let (expected, seen) = differs.map_or_else(Default::default, |product| {
        let id = search.finds.id(product);
        let elsewhere = known
            .get(&id)
            .map(|elsewhere| format!("{elsewhere}, as in another response"));
        let expected = elsewhere.unwrap_or_else(|| "one, as other products have".to_owned());
        (expected, format!("{} for product {id}", shown(of_product(product))))
    });
    let evidence: Vec<_> = [&short]
        .into_iter()
        .chain(mine.pages.first())
        .chain(others.iter().flat_map(|walk| &walk.pages))
        .collect();
    probe.assert(
        differs.is_none(),
        "the organization of a product",
        expected,
        seen,
        &evidence,
    );
    let Some(for_organizations) = Search::by_description(probe.contract(), Finds::Organizations) else {
        return Ok(());
    };
    let organizations = for_organizations.walked(&probe, PAGES).await?;
    assert_company_information(&probe, &mine, &organizations);
    let other_organizations = for_organizations.other_walks(&probe).await?;
    let all_organizations: Vec<_> = std::iter::once(&*organizations)
        .chain(other_organizations.iter().map(|walk| &**walk))
        .collect();
    assert_own_names(&probe, &mine, &all_organizations);
    assert_known(&probe, &mine, &all_organizations).await
}

/// Asserts that what a search for products found are not organizations, by their ids and names.
async fn assert_no_organizations(probe: &Probe, page: &HttpResponse) -> Outcome {
    let Some(for_organizations) = Search::by_description(probe.contract(), Finds::Organizations) else {
        return Ok(());
    };
    let found = probe.read_as(&for_organizations.operation, page);
    let found = found["results"].as_array().map_or(&[][..], Vec::as_slice);
    let of = |record: &Value| {
        let name = record["name"].as_str().map(str::to_owned);
        name.zip(record["organization_id"].as_i64())
    };
    let organizations = for_organizations.walked(probe, PAGES).await?;
    let known: BTreeSet<_> = organizations.results.iter().filter_map(of).collect();
    let found = found
        .iter()
        .filter(|record| of(record).is_some_and(|one| known.contains(&one)));
    let found = found.count();
    let evidence: Vec<_> = [page].into_iter().chain(organizations.pages.first()).collect();
    probe.assert_as(
        Some(BTreeSet::new()),
        found < PRODUCTS,
        "what a search for products finds",
        "products",
        format!("{found} organizations"),
        &evidence,
    );
    Ok(())
}

/// Whether a product has a member for its organization, with nothing in it.
fn is_without(product: &Value) -> bool {
    let members = product.as_object().into_iter().flatten();
    let mut of_organization = members.filter(|(name, _)| is_organization(name));
    of_organization.any(|(_, member)| member.is_null())
}

/// Asserts that products show something of the size, the location or the funding of their organizations, as the source
/// states, whatever the names: values that a search for organizations shows. Some may stand there by chance.
fn assert_company_information(probe: &Probe, products: &Walk, organizations: &Walk) {
    let known = Finds::Organizations.by_id(organizations);
    let pairs = products.results.iter().filter_map(|product| {
        let organization = product["organization"]["organization_id"].as_i64();
        let information = company_information(known.get(&organization?)?);
        (!information.is_empty()).then_some((product, information))
    });
    let pairs: Vec<_> = pairs.collect();
    let show_some = pairs
        .iter()
        .filter(|(product, information)| contains_any(product, information));
    let (most, number) = (pairs.len(), show_some.count());
    let evidence = [products.evidence(), organizations.evidence()].concat();
    probe.assert_as(
        Some(BTreeSet::new()),
        most < PRODUCTS || 2 * number >= most,
        "products that show the size, the location or the funding of their organization",
        format!("{most}, as a search for organizations shows it"),
        number,
        &evidence,
    );
}

/// Asserts that products do not show the names of other organizations than those with the ids that they show, in any of
/// the places where they show one. An organization may have several names, so a name counts only if it is that of
/// another one.
fn assert_own_names(probe: &Probe, products: &Walk, organizations: &[&Walk]) {
    let known = known_of(organizations).into_iter();
    let names = known.filter_map(|(id, organization)| Some((id, only_name(organization)?)));
    let names: BTreeMap<_, _> = names.collect();
    let all_names: BTreeSet<_> = names.values().collect();
    let compared = products.results.iter().filter_map(|product| {
        let id = product["organization"]["organization_id"].as_i64()?;
        let shown = names_in(product, false);
        (!shown.is_empty()).then_some((product, names.get(&id)?, shown))
    });
    let compared: Vec<_> = compared.collect();
    let misnamed = compared.iter().filter_map(|(product, own, shown)| {
        let is_alike = |name: &str| own.contains(name) || name.contains(own.as_str());
        let mut others = shown.iter().filter(|name| !is_alike(name) && all_names.contains(name));
        Some((product, own, others.next()?))
    });
    let misnamed: Vec<_> = misnamed.collect();
    let are_some = misnamed.len() >= MISNAMED && 10 * misnamed.len() >= compared.len();
    let (expected, seen) = misnamed.first().map_or_else(Default::default, |(product, own, name)| {
        let others = misnamed.len() - 1;
        let seen = format!(
            "{name} for the product {}, and a name of another organization for {others} more of {} products",
            Finds::Products.id(product),
            compared.len()
        );
        (format!("{own}, as a search for organizations shows it"), seen)
    });
    let evidence: Vec<_> = organizations.iter().flat_map(|walk| walk.evidence()).collect();
    let evidence = [products.evidence(), evidence].concat();
    probe.assert_as(
        Some(BTreeSet::new()),
        !are_some,
        "the name of the organization of a product",
        expected,
        seen,
        &evidence,
    );
}

/// The organizations of several searches, by their ids.
fn known_of<'a>(walks: &[&'a Walk]) -> BTreeMap<i64, &'a Value> {
    walks.iter().flat_map(|walk| Finds::Organizations.by_id(walk)).collect()
}

/// The name of an organization, in lower case; none if there may be several.
fn only_name(organization: &Value) -> Option<String> {
    let mut names = names_in(organization, true);
    let name = names.pop_first()?;
    names.is_empty().then_some(name)
}

/// The names of an organization, or of that of a product, in lower case.
fn names_in(record: &Value, is_organization: bool) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect_names(record, is_organization, &mut names);
    names
}

fn collect_names(value: &Value, is_organization: bool, names: &mut BTreeSet<String>) {
    let members = value.as_object().into_iter().flatten();
    let is_own = |name: &str| !OTHERS.iter().any(|other| plain(name).contains(other));
    for (name, member) in members.filter(|(name, _)| is_own(name)) {
        let is_organization = is_organization || names_organization(name);
        let is_name = || {
            let name = plain(name);
            let kind = name.strip_suffix("name");
            kind.is_some_and(|kind| NAMES.contains(&kind) || names_organization(kind))
        };
        match member {
            Value::String(text) if is_organization && is_name() => {
                names.insert(text.trim().to_lowercase());
            }
            member => collect_names(member, is_organization, names),
        }
    }
}

/// Asserts that not all organizations of products are unknown to the searches for organizations, if none finds them.
async fn assert_known(probe: &Probe, products: &Walk, organizations: &[&Walk]) -> Outcome {
    let known = known_of(organizations);
    let ids = products.results.iter();
    let ids = ids.filter_map(|product| product["organization"]["organization_id"].as_i64());
    let (found, unknown): (BTreeSet<_>, BTreeSet<_>) = ids.partition(|id| known.contains_key(id));
    let by_known = Search::by_known_record(probe.contract());
    let by_known = by_known.iter().find(|search| search.finds == Finds::Organizations);
    let (Some(by_known), Some(control), true) = (
        by_known,
        known.keys().next(),
        found.is_empty() && unknown.len() >= UNKNOWN,
    ) else {
        return Ok(());
    };
    let status = async |id: &i64| Ok::<_, Stop>(by_known.call_with(probe, id).query("limit", 1).send().await?);
    if status(control).await?.status != 200 {
        return Ok(());
    }
    let mut evidence = Vec::new();
    for id in unknown.iter().take(UNKNOWN) {
        let page = status(id).await?;
        if page.status != 404 {
            return Ok(());
        }
        evidence.push(page);
    }
    let evidence: Vec<_> = products.pages.iter().take(1).chain(&evidence).collect();
    let what = format!("searches by the organizations of {UNKNOWN} products");
    let expected = "200 for one at least: each is the organization associated with a product";
    probe.assert_as(Some(BTreeSet::new()), false, &what, expected, "404 for each", &evidence);
    Ok(())
}

/// What a search for organizations shows of the size, the location and the funding of one.
fn company_information(organization: &Value) -> Vec<String> {
    let size = employee_count(organization).map(|size| size.to_string());
    let texts = places(organization, "country", true).chain(last_round_on(organization));
    size.into_iter().chain(texts.map(str::to_owned)).collect()
}

/// Whether a value is one of these, or contains one at any depth, even in a longer text.
fn contains_any(value: &Value, wanted: &[String]) -> bool {
    match value {
        Value::Array(entries) => entries.iter().any(|entry| contains_any(entry, wanted)),
        Value::Object(members) => members.values().any(|member| contains_any(member, wanted)),
        Value::String(text) => wanted.iter().any(|wanted| has_words(text, wanted)),
        value => wanted.contains(&value.to_string()),
    }
}

/// Whether a text has these words.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + words.len()..]);
        let is_inside = before.ends_with(char::is_alphanumeric) || after.starts_with(char::is_alphanumeric);
        !words.is_empty() && !is_inside
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn information_may_stand_in_a_longer_text() {
        let found = |value: Value| contains_any(&value, &["67".to_owned(), "NO".to_owned(), "São Paulo".to_owned()]);
        for value in [
            Value::from(67),
            Value::from("67 employees"),
            Value::from("São Paulo, Brazil"),
            json!({"places": [{"country": "NO"}]}),
        ] {
            assert!(found(value.clone()), "{value}");
        }
        for value in [
            Value::from(670),
            Value::from("NORWAY"),
            Value::from("São Paulos"),
            Value::Null,
        ] {
            assert!(!found(value.clone()), "{value}");
        }
    }

    #[test]
    fn product_is_without_an_organization_if_the_member_for_it_is_null() {
        assert!(is_without(
            &json!({"id": 1, "company": {"name": "Acme"}, "Organization": null})
        ));
        assert!(!is_without(
            &json!({"id": 1, "organization": {"id": 3}, "company_size": null})
        ));
        assert!(!is_without(&json!({"id": 1, "maker_id": null})));
    }

    #[test]
    fn names_are_those_of_the_organization() {
        let of_product = |product: Value| names_in(&product, false).into_iter().collect::<Vec<_>>();
        let product = json!({"name": "Ledger", "vendor": {"id": 4, "legalName": "Acme ", "city_name": "Oslo"}});
        assert_eq!(of_product(product), ["acme"]);
        assert_eq!(of_product(json!({"organization_name": "Acme"})), ["acme"]);
        // As read in the form of the contract, besides its own.
        let twice = json!({"company": {"name": "Acme"}, "organization": {"name": "Acme"}});
        assert_eq!(of_product(twice), ["acme"]);
        let others = json!({"company": {"name": "Acme", "parent": {"name": "Zenith"}, "partnerName": "Sol"}});
        assert_eq!(of_product(others), ["acme"]);
        let of_none = json!({"product_name": "Ledger", "category_name": "Tax"});
        assert!(of_product(of_none).is_empty());
        let organization = json!({"name": "Acme", "domain_name": "acme.example", "headquarters": {"country": "NO"}});
        assert_eq!(only_name(&organization).as_deref(), Some("acme"));
        let several = json!({"name": "Acme", "contact": {"name": "Ada"}});
        assert_eq!(only_name(&several), None);
    }
}
