//! A case about what products show of their audiences, which a result carries: a search by customers finds something
//! for it. Part of the group `search-ranking`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::calls::{Finds, Search, results};
use crate::ranking::GROUP;
use engine::case::Case;
use engine::session::Probe;
use engine::session::search_form::plain;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// The number of audiences to search for.
const SEARCHED_FOR: usize = 4;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let by_customers = Search::by_customers(contract, Finds::Products);
    by_customers.iter().map(case).collect()
}

fn case(search: &Search) -> Case {
    let title = "A search for the audience of a product finds products";
    search
        .case(GROUP, "audiences-find-products", title, &search.operation.pointer)
        .quote(
            "Ranks products, each with its organization, by how close their customer bases are in meaning to a \
             free-text description of a target customer.",
        )
        .and("/components/schemas/Product/properties/target_audiences")
        .point("search-own-words")
        .sends(SEARCHED_FOR as u64)
        .check_with(search.clone(), find_products)
}

async fn find_products(probe: Probe, search: Search) -> Outcome {
    let Some(by_description) = Search::by_description(probe.contract(), Finds::Products) else {
        return probe.inconclusive("a search for products by description");
    };
    let known = by_description.walked(&probe, 1).await?;
    let audiences: BTreeSet<_> = known.results.iter().filter_map(audiences).collect();
    let longest = usize::try_from(search.number(&search.subject().name, "maxLength")).unwrap_or(usize::MAX);
    let mut evidence = known.pages.clone();
    let mut is_found = false;
    for text in audiences.iter().take(SEARCHED_FOR) {
        let text: String = text.chars().take(longest).collect();
        let page = probe.ok(search.call_with(&probe, text).send().await?)?;
        is_found |= !results(&page).is_empty();
        if !is_found && has_records(&page.body) {
            return probe.inconclusive("results that can be read");
        }
        evidence.push(page);
        if is_found {
            break;
        }
    }
    if !is_found && audiences.len() < SEARCHED_FOR {
        return probe.inconclusive(format!("{SEARCHED_FOR} products that show different audiences"));
    }
    probe.assert_as(
        Some(BTreeSet::new()),
        is_found,
        "the results for the audiences of some products",
        "a product for one of them",
        format!("none for each of {SEARCHED_FOR}"),
        &evidence.iter().collect::<Vec<_>>(),
    );
    Ok(())
}

/// Whether there is a list of records anywhere in a page, even in an unknown form.
fn has_records(value: &Value) -> bool {
    match value {
        Value::Array(entries) => entries.iter().any(|entry| entry.is_object() || has_records(entry)),
        Value::Object(members) => members.values().any(has_records),
        _ => false,
    }
}

/// The text of the first member that is named after audiences, wherever it stands in a product.
fn audiences(product: &Value) -> Option<String> {
    let members = product.as_object()?;
    let mut named = members.iter().filter(|(name, _)| plain(name).contains("audience"));
    let own = named.find_map(|(_, value)| text(value));
    own.or_else(|| members.values().find_map(audiences))
}

fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(entries) => entries.iter().filter_map(text_of_entry).collect::<Vec<_>>().join(", "),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// An audience in a list: a text, or an object that describes it.
fn text_of_entry(entry: &Value) -> Option<String> {
    let texts = entry
        .as_object()
        .map(|members| members.values().filter_map(text).collect::<Vec<_>>().join(" "));
    texts.or_else(|| text(entry)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{audiences, has_records};

    #[test]
    fn page_without_records_is_empty_in_any_form() {
        assert!(!has_records(&json!({"results": [], "total_count": 0})));
        assert!(!has_records(&json!({"page": {"content": []}, "sort": ["id"]})));
        assert!(has_records(&json!([{"id": 1}])));
        assert!(has_records(&json!({"hits": {"hits": [{"id": 1}]}})));
    }

    #[test]
    fn audiences_are_found_whatever_their_form() {
        let shown = |product| audiences(&product).unwrap_or_default();
        assert_eq!(
            shown(json!({"target_audiences": ["banks", "insurers"]})),
            "banks, insurers"
        );
        assert_eq!(shown(json!({"context": {"targetAudience": " schools "}})), "schools");
        let described = json!({"audiences": [{"segment": "farms", "size": 3}, {"segment": "fisheries"}]});
        assert_eq!(shown(described), "farms, fisheries");
        assert_eq!(
            shown(json!({"target_audiences": [], "audience_size": 4, "name": "a"})),
            ""
        );
    }
}
