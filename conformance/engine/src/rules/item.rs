//! Rules that the source states for all items, statuses and lists of items. They are checked in each response, because
//! they hold in every pipeline and order, on every page, for every key, and for new items as well as for old ones.

use std::collections::{BTreeMap, BTreeSet};

use chrono::DateTime;
use parking_lot::Mutex;
use serde_json::Value;
use url::form_urlencoded;

use crate::rules::entry::{Entry, RULES, Rule};
use crate::rules::subject::Subject;
use crate::rules::time::{OF_ISO_8601, OF_PAST, is_iso_8601, latest_past};
use crate::session::observed::item_id;
use crate::transport::request::Body;
use crate::transport::response::HttpResponse;
use platform_contract::{Contract, Operation};

/// Whether a response is about the pipeline and the item that the request names.
pub const ABOUT: &str = "response-is-about-its-request";
/// Whether an item is ready exactly when its three conditions are true.
pub const READINESS: &str = "readiness-is-the-conjunction";
/// The order of a list without `sort_by`.
pub const ORDER: &str = "list-is-by-item-id";
/// Whether the header `Location` of an addition names the values of the new item.
pub const LOCATION: &str = "location-names-the-values";
/// Whether an item is the same in all responses.
pub const IDENTITY: &str = "item-has-one-identity";
/// Whether an id is that of one item.
pub const UNIQUE: &str = "id-is-of-one-item";
/// The form of the time of a sync.
pub const TIMES: &str = "sync-times-are-iso-8601";
/// Whether a sync is of the past.
pub const PAST: &str = "sync-times-are-past";

/// The limit on remembered items.
const ITEMS: usize = 100_000;

/// The rules of entries that are checked in every response. The schema of a response covers the form of a reference.
pub fn watched() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(|rule| rule.id != "references-are-urls")
}

/// What is known of items.
#[derive(Debug, Default)]
pub(super) struct Identities {
    /// The identity of each item, by its id, as first seen.
    items: BTreeMap<i64, Identity>,
    /// The pipelines that they are of.
    pipelines: BTreeSet<i64>,
}

/// The pipeline, the type and the records of an item.
#[derive(Debug)]
struct Identity {
    pipeline: i64,
    entity_type: Option<String>,
    /// The ids of its records that were shown.
    records: [Option<i64>; 3],
}

/// What a response shows of items.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// The pipeline that was requested.
    pipeline: Option<i64>,
    /// Whether the response shows the types of its items.
    shows_types: bool,
}

/// The members with the ids of the records of an item.
const RECORDS: [&str; 3] = ["organization_id", "person_id", "document_id"];

/// Checks a success of an operation of items by every rule that applies to it. Returns the topics that it has something
/// of, each with what is wrong.
pub(super) fn check<'a>(
    contract: &'a Contract,
    operation: &Operation,
    path: &str,
    response: &'a HttpResponse,
    identities: &Mutex<Identities>,
) -> Vec<(&'static str, Subject<'a>)> {
    let subject = || Subject::new(contract, response);
    let mut checked = Vec::new();
    let asked = Asked::of(path);
    let mut about = subject();
    check_about(&asked, operation, &mut about);
    about.exercises(asked.pipeline.is_some());
    checked.push((ABOUT, about));
    if operation.id == "get_item_status" {
        let mut readiness = subject();
        check_readiness(&mut readiness);
        checked.push((READINESS, readiness));
        return checked;
    }
    if response.status == 201 {
        let mut location = subject();
        check_location(&asked, &mut location);
        checked.push((LOCATION, location));
    }
    let listed = response.at("/items").as_array();
    let items = listed.map_or(std::slice::from_ref(&response.body), Vec::as_slice);
    if let Some(order) = order_of_ids(&response.request.path).filter(|_| listed.is_some()) {
        let mut of_list = subject();
        check_order(items, order, &mut of_list);
        of_list.exercises(items.len() > 1);
        checked.push((ORDER, of_list));
    }
    let (mut unique, mut same) = (subject(), subject());
    let look = Look {
        pipeline: asked.pipeline,
        // Which type the response to an addition shows is not stated.
        shows_types: operation.is_read(),
    };
    identities.lock().check(items, look, &mut unique, &mut same);
    checked.extend([(UNIQUE, unique), (IDENTITY, same)]);
    check_entries(items, &subject, &mut checked);
    checked
}

/// The pipeline in the path of a request, if its id is written as the contract writes it.
pub(super) fn pipeline_in(path: &str) -> Option<i64> {
    Asked::of(path).pipeline
}

/// The ids in the path of a request, if they are written as the contract writes them.
struct Asked {
    pipeline: Option<i64>,
    item: Option<i64>,
}

impl Asked {
    fn of(path: &str) -> Self {
        let rest = path.rsplit_once("/pipelines/").map_or("", |(_, rest)| rest);
        let mut parts = rest.split('/');
        let pipeline = parts.next().and_then(id);
        let item = parts.next().filter(|part| *part == "items");
        Self {
            pipeline,
            item: item.and_then(|_| parts.next()).and_then(id),
        }
    }
}

/// The id that a text is, unless it is written in another way.
fn id(text: &str) -> Option<i64> {
    let id: i64 = text.parse().ok()?;
    (id.to_string() == text).then_some(id)
}

fn check_about(asked: &Asked, operation: &Operation, subject: &mut Subject<'_>) {
    let response = subject.response;
    let mut differs = |what: &str, expected: i64, seen: &Value| {
        if *seen != expected {
            subject.record(what, format!("{expected}, as in the request"), seen.to_string());
        }
    };
    if let Some(pipeline) = asked.pipeline {
        differs("pipeline_id of the response", pipeline, response.at("/pipeline_id"));
        let items = response.at("/items").as_array().into_iter().flatten();
        let mut others = items.filter(|item| item["pipeline_id"] != pipeline);
        if let Some(other) = others.next() {
            differs("pipeline_id of an item of the list", pipeline, &other["pipeline_id"]);
        }
    }
    if let Some(item) = asked.item {
        differs(
            "pipeline_item_id of the response",
            item,
            response.at("/pipeline_item_id"),
        );
    }
    if operation.id == "add_organization"
        && let Some(organization) = organization_in(response.request.body.as_ref())
    {
        let seen = response.at("/organization_id");
        differs("organization_id of the new item", organization, seen);
    }
    if operation.id == "add_organization" && names_no_organization(response.request.body.as_ref()) {
        let what = "the response to a body without organization_id";
        subject.record(what, "an error", response.summary());
    }
}

/// The base URL may have a path, which comes first.
fn check_location(asked: &Asked, subject: &mut Subject<'_>) {
    let response = subject.response;
    let item = response.at("/pipeline_item_id").as_i64();
    if let (Some(pipeline), Some(item)) = (asked.pipeline, item) {
        let path = format!("/api/v1/pipelines/{pipeline}/items/{item}/values");
        let seen = response.header("location").unwrap_or_default();
        if !seen.ends_with(&path) {
            subject.record("the header Location", path, seen);
        }
    }
}

/// The organization that a body names, if every reader of JSON finds the same.
fn organization_in(body: Option<&Body>) -> Option<i64> {
    let (Some(Body::Text(text)) | Some(Body::Padded(text, _))) = body else {
        return None;
    };
    let is_plain = !text.contains('\\') && text.matches("organization_id").count() == 1;
    let body: Value = serde_json::from_str(text).ok().filter(|_| is_plain)?;
    body["organization_id"].as_i64()
}

/// Whether a body is an object without the key of the organization to add.
fn names_no_organization(body: Option<&Body>) -> bool {
    let (Some(Body::Text(text)) | Some(Body::Padded(text, _))) = body else {
        return false;
    };
    let body = serde_json::from_str(text).unwrap_or(Value::Null);
    body.as_object()
        .is_some_and(|body| !body.contains_key("organization_id"))
}

/// Whether the three conditions of a status are true.
pub fn has_every_condition(status: &Value) -> bool {
    let is = |stage: &str| status[stage] == true;
    is("document_indexed") && is("custom_questions_answered") && is("platform_entity_data_ready")
}

fn check_readiness(subject: &mut Subject<'_>) {
    let status = &subject.response.body;
    let all = has_every_condition(status);
    if status["is_ready"] != all {
        let expected = format!("{all}, as its three conditions are");
        subject.record("is_ready", expected, status.to_string());
    }
}

/// How a list without `sort_by` is ordered.
#[derive(Debug, Clone, Copy, PartialEq)]
enum OrderOfIds {
    Ascending,
    /// Descending; or ascending, if `sort_order` needs `sort_by`.
    Either,
}

/// The order that a request asks for, if nothing in it may mean another.
fn order_of_ids(path: &str) -> Option<OrderOfIds> {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let (mut order, mut names) = (OrderOfIds::Ascending, BTreeSet::new());
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match (&*name, &*value) {
            ("skip" | "limit", _) | ("sort_order", "asc") => {}
            ("sort_order", "desc") => order = OrderOfIds::Either,
            _ => return None,
        }
        if !names.insert(name) {
            return None;
        }
    }
    Some(order)
}

fn check_order(items: &[Value], order: OrderOfIds, subject: &mut Subject<'_>) {
    let falls = |pair: &[Value]| item_id(&pair[0]) >= item_id(&pair[1]);
    let rises = |pair: &[Value]| item_id(&pair[0]) <= item_id(&pair[1]);
    let Some(fall) = items.windows(2).position(falls) else {
        return;
    };
    let (expected, wrong) = match order {
        OrderOfIds::Ascending => ("ascending ids", Some(fall)),
        OrderOfIds::Either => ("ids in one direction", items.windows(2).position(rises)),
    };
    if let Some(wrong) = wrong {
        let place = if wrong == 0 { fall } else { wrong };
        let (one, other) = (item_id(&items[place]), item_id(&items[place + 1]));
        let seen = format!("item {one} comes before item {other}");
        subject.record("the order of a list without sort_by", expected, seen);
    }
}

impl Identities {
    /// Compares the items of a response with what earlier responses showed.
    fn check(&mut self, items: &[Value], look: Look, unique: &mut Subject<'_>, same: &mut Subject<'_>) {
        let (mut is_seen, mut is_seen_again) = (false, false);
        for item in items {
            let ids = (item["pipeline_item_id"].as_i64(), item["pipeline_id"].as_i64());
            // Whether a response is about its request is another rule.
            let (Some(id), Some(pipeline)) = ids else { continue };
            if look.pipeline != Some(pipeline) || self.items.len() >= ITEMS {
                continue;
            }
            self.pipelines.insert(pipeline);
            is_seen = true;
            is_seen_again |= self.items.contains_key(&id);
            let known = self.items.entry(id).or_insert_with(|| Identity::of_pipeline(pipeline));
            if known.pipeline != pipeline {
                if unique.mismatches.is_empty() {
                    let seen = format!("item {id} is in the pipelines {} and {pipeline}", known.pipeline);
                    unique.record("the id of an item", "an id that no other item has", seen);
                }
            } else if let Some((member, was, is)) = known.difference(item, look.shows_types)
                && same.mismatches.is_empty()
            {
                let expected = format!("{was} for item {id} of pipeline {pipeline}, as in an earlier response");
                same.record(format!("{member} of an item"), expected, is);
            }
        }
        unique.exercises(is_seen && self.pipelines.len() > 1);
        same.exercises(is_seen_again);
    }
}

impl Identity {
    fn of_pipeline(pipeline: i64) -> Self {
        Self {
            pipeline,
            entity_type: None,
            records: [None; 3],
        }
    }

    /// Returns the first member of an item that contradicts this, with both values, and remembers what is new. A record
    /// that an item did not have may have been found meanwhile.
    fn difference(&mut self, item: &Value, shows_type: bool) -> Option<(&'static str, String, String)> {
        const TYPE: &str = "entity_type";
        if let Some(is) = item[TYPE].as_str().filter(|_| shows_type) {
            let was = self.entity_type.get_or_insert_with(|| is.to_owned());
            if was != is {
                return Some((TYPE, was.clone(), is.to_owned()));
            }
        }
        for (member, known) in RECORDS.into_iter().zip(&mut self.records) {
            let Some(is) = item[member].as_i64() else { continue };
            let was = *known.get_or_insert(is);
            if was != is {
                return Some((member, was.to_string(), is.to_string()));
            }
        }
        None
    }
}

/// Checks the entries of all items in one pass: a list may have a thousand of them.
fn check_entries<'a>(
    items: &[Value],
    subject: &dyn Fn() -> Subject<'a>,
    checked: &mut Vec<(&'static str, Subject<'a>)>,
) {
    let rules: Vec<_> = watched().collect();
    let mut broken: Vec<Option<String>> = vec![None; rules.len()];
    let (mut has_entries, mut has_times) = (false, false);
    let (mut times, mut past) = (subject(), subject());
    let latest = latest_past(past.response);
    for item in items {
        for (column, shown) in item["values"].as_object().into_iter().flatten() {
            has_entries = true;
            let entry = Entry::new(column, shown);
            let said = || format!("{column} of item {} is {shown}", item_id(item));
            for (rule, seen) in rules.iter().zip(&mut broken) {
                if seen.is_none() && rule.is_broken_by(&entry) {
                    *seen = Some(said());
                }
            }
            let time = entry.last_synced_at;
            if time.is_null() {
                continue;
            }
            has_times = true;
            let text = time.as_str().unwrap_or_default();
            if times.mismatches.is_empty() && !is_iso_8601(text) {
                times.record("last_synced_at", OF_ISO_8601, said());
            }
            let is_later =
                || latest.is_some_and(|latest| DateTime::parse_from_rfc3339(text).is_ok_and(|at| at > latest));
            if past.mismatches.is_empty() && is_later() {
                past.record("last_synced_at", OF_PAST, said());
            }
        }
    }
    if has_entries {
        for (rule, seen) in rules.iter().zip(broken) {
            let mut of_rule = subject();
            if let Some(seen) = seen {
                of_rule.record(rule.title, "entries that follow it", seen);
            }
            checked.push((rule.id, of_rule));
        }
    }
    if has_times {
        checked.push((TIMES, times));
        checked.extend(latest.map(|_| (PAST, past)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn request_ids_are_read_from_the_path() {
        let of = |path: &str| {
            let asked = Asked::of(path);
            (asked.pipeline, asked.item)
        };
        assert_eq!(of("/v2/pipelines/9/api/v1/pipelines/7/items"), (Some(7), None));
        assert_eq!(of("/api/v1/pipelines/7/items/30/status"), (Some(7), Some(30)));
        assert_eq!(of("/api/v1/pipelines/7/organizations"), (Some(7), None));
        assert_eq!(of("/api/v1/pipelines/07/items/%33/values"), (None, None));
        assert_eq!(of("/search/organizations/similar"), (None, None));
    }

    #[test]
    fn item_must_keep_its_type_and_record_ids() {
        let item = |kind: &str, organization: Value| json!({"entity_type": kind, "organization_id": organization});
        let mut known = Identity::of_pipeline(1);
        assert_eq!(known.difference(&item("organization", Value::Null), false), None);
        let mut differs = |kind: &str, organization: Value| {
            let difference = known.difference(&item(kind, organization), true);
            difference.map(|(member, ..)| member)
        };
        assert_eq!(differs("document", Value::Null), None);
        assert_eq!(differs("document", json!(7)), None);
        assert_eq!(differs("document", Value::Null), None);
        assert_eq!(differs("document", json!(8)), Some("organization_id"));
        assert_eq!(differs("person", json!(7)), Some("entity_type"));
    }

    #[test]
    fn list_is_ordered_by_id_unless_the_request_may_sort_it() {
        let of = |query: &str| order_of_ids(&format!("/items{query}"));
        for query in ["", "?skip=3&limit=9", "?sort_order=asc&limit=1"] {
            assert_eq!(of(query), Some(OrderOfIds::Ascending), "{query}");
        }
        assert_eq!(of("?sort_order=desc"), Some(OrderOfIds::Either));
        for query in [
            "?sort_by=question.1",
            "?sort_order=asc&sort_order=asc",
            "?order=desc",
            "?sort_order=DESC",
        ] {
            assert_eq!(of(query), None, "{query}");
        }
    }

    #[test]
    fn body_names_an_organization_only_if_it_is_unambiguous() {
        let named = |text: &str| organization_in(Some(&Body::Text(text.to_owned())));
        assert_eq!(named(r#"{"organization_id": 7}"#), Some(7));
        assert_eq!(named(r#"{"organization_id": 7.0}"#), None);
        assert_eq!(named(r#"{"organization_id": 7, "organization_id": 8}"#), None);
        assert_eq!(named("{"), None);
    }

    #[test]
    fn object_without_the_key_names_no_organization() {
        let lacks = |text: &str| names_no_organization(Some(&Body::Text(text.to_owned())));
        assert!(lacks("{}") && lacks(r#"{"id": 7}"#));
        assert!(!lacks(r#"{"organization\u005fid": 7}"#) && !lacks("[]") && !lacks("{"));
    }
}
