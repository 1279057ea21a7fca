//! Finds the form of a search from the shape of a page.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fields::Fields;
use super::form::{DISTANCE, Form, Move, ORGANIZATION_ID, RESULTS, Reading, is_of_id};
use super::path::{Path, is_at, leaves, plain};
use crate::target::search_names::{FieldOf, SearchNames};
use platform_contract::{Contract, Field, Operation, fields};

/// The name of the text that says what a record is.
const DESCRIPTION: &str = "description";
/// The words for an organization in the names of ids.
const ORGANIZATION: [&str; 6] = ["organization", "organisation", "org", "company", "firm", "business"];
/// The words for a product.
const PRODUCT: [&str; 3] = ["product", "offering", "offer"];
/// The words for the organization of a product, besides those for an organization.
const OFFERING: [&str; 7] = [
    "vendor",
    "supplier",
    "provider",
    "manufacturer",
    "maker",
    "seller",
    "owner",
];
/// The names of ids that do not say what they identify.
const IDS: [&str; 6] = ["id", "identifier", "objectid", "pk", "ref", "uid"];
/// The names of members that only hold another one: `organization.data.id`.
const WRAPPERS: [&str; 3] = ["data", "attributes", "node"];
/// The ends of the names of ids that say it.
const SUFFIXES: [&str; 4] = ["id", "no", "number", "key"];
/// The names of the number of results on all pages, the likeliest first.
const TOTALS: [&str; 12] = [
    "totalcount",
    "totalresults",
    "totalelements",
    "totalhits",
    "totalitems",
    "totalrecords",
    "totalmatches",
    "totalfound",
    "total",
    "ntotal",
    "numfound",
    "nbhits",
];

/// The names of a number of results, of all pages or of one: only one that is greater than a page is of all.
const COUNTS: [&str; 11] = [
    "count",
    "odatacount",
    "resultcount",
    "recordcount",
    "matchcount",
    "hitcount",
    "nresults",
    "nhits",
    "found",
    "matched",
    "matches",
];

/// Whether a name, as of a member, is a word for an organization: `company`, `Vendor`.
pub fn is_organization(name: &str) -> bool {
    let name = plain(name);
    words_for_organization().any(|word| name == word)
}

/// Whether a name, as of a member, is that of an organization or begins with one: `vendorDetails`, `organization_name`.
pub fn names_organization(name: &str) -> bool {
    let name = plain(name);
    words_for_organization().any(|word| name == word || word.len() > 3 && name.starts_with(word))
}

fn words_for_organization() -> impl Iterator<Item = &'static str> {
    ORGANIZATION.into_iter().chain(OFFERING)
}

/// A form as a page shows it.
pub(super) struct Shape {
    pub(super) form: Form,
    /// Whether the page shows all of it: another page may have scores, or show in which direction they go.
    pub(super) is_certain: bool,
}

/// The form of a page; none if it is not clear where its results are.
pub(super) fn find(contract: &Contract, operation: &Operation, names: &SearchNames, body: &Value) -> Option<Shape> {
    let finds_products = operation.finds_products();
    let List {
        place,
        fields,
        id,
        score,
    } = results(names, body, finds_products)?;
    let (is_similarity, is_certain) = score.as_ref().map_or((false, false), |(score, is_only)| {
        let (are_similarities, is_certain) = fields.are_similarities(score);
        (are_similarities, is_certain && *is_only)
    });
    let organization = finds_products
        .then(|| organization_of_product(names, &fields))
        .flatten();
    let id_member = if finds_products {
        "product_id"
    } else {
        "organization_id"
    };
    let is_certain = is_certain && finds_products == organization.is_some();
    let found = [
        Some((id, vec![id_member.to_owned()])),
        score.map(|(score, _)| (score, DISTANCE.map(str::to_owned).into())),
        organization
            .clone()
            .map(|id| (id, ORGANIZATION_ID.map(str::to_owned).into())),
    ];
    let found = found.into_iter().flatten().map(|(from, to)| Move::new(from, to));
    let named: Vec<_> = named(contract, names, &fields, finds_products, organization.as_ref()).collect();
    let found: Vec<_> = found
        .filter(|one| !named.iter().any(|other| other.to == one.to))
        .collect();
    let others = others(contract, operation, names, &fields, organization.as_ref());
    let others = others.filter(|other| !found.iter().chain(&named).any(|one| one.to == other.to));
    let mut moved: Vec<_> = others.collect();
    moved.extend(found);
    moved.extend(named);
    moved.retain(|one| one.from != one.to || one.is_named || is_of_id(&one.to) && fields.has_texts(&one.from));
    let form = Form {
        total: total(body, &place, fields.len()),
        list: place,
        moved,
        is_similarity,
    };
    Some(Shape { form, is_certain })
}

/// A list that may be that of the results.
struct List<'a> {
    place: Path,
    fields: Fields<'a>,
    id: Path,
    /// The place of the scores, and whether it is the only one that may be.
    score: Option<(Path, bool)>,
}

/// The list of the results: that of the contract, or the only one of records with ids and scores that is furthest out.
fn results<'a>(names: &SearchNames, body: &'a Value, finds_products: bool) -> Option<List<'a>> {
    let of = if finds_products {
        FieldOf::Product
    } else {
        FieldOf::Organization
    };
    let place_of_score = place_of(names, of, |path| is_at(path, DISTANCE));
    let lists = leaves(body).into_iter().filter_map(|(place, value)| {
        let fields = Fields::of(
            value
                .as_array()
                .filter(|entries| entries.first().is_some_and(Value::is_object))?,
        );
        let id = id_of_record(names, &fields, finds_products)?;
        let score = score(&fields, place_of_score.as_ref());
        Some(List {
            place,
            fields,
            id,
            score,
        })
    });
    let rank = |list: &List<'_>| (!is_at(&list.place, [RESULTS]), list.score.is_none(), list.place.len());
    let mut lists: Vec<_> = lists.collect();
    lists.sort_by_key(rank);
    let is_only = lists.len() < 2 || rank(&lists[0]) != rank(&lists[1]);
    lists.into_iter().next().filter(|_| is_only)
}

/// The place of the scores, and whether it is the only one that may be: where the target says they are, or else that of
/// the contract, if there are any.
fn score(fields: &Fields<'_>, by_target: Option<&Path>) -> Option<(Path, bool)> {
    let of_contract = DISTANCE.map(str::to_owned).into();
    match by_target {
        Some(place) => fields.are_numbers(place).then(|| (place.clone(), true)),
        None if fields.has(&of_contract) => Some((of_contract, true)),
        None => fields.score(),
    }
}

/// How clearly a path names the id of something, the clearest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// As the target says.
    ByTarget,
    /// `company_id`, or `company.id`.
    Exactly,
    /// `company_details.id`.
    Nearly,
    /// `id`.
    Alone,
    /// `details.id`.
    Inside,
}

/// Where the target says that organizations or products have a field, within one of these.
fn place_of(names: &SearchNames, of: FieldOf, is_field: impl Fn(&Path) -> bool) -> Option<Path> {
    let mut places = names.places(of);
    places.find_map(|(known, place)| (known.of_entries.is_none() && is_field(&known.field.path)).then_some(place))
}

/// Where it says that they have their ids.
fn place_of_ids(names: &SearchNames, of: FieldOf) -> Option<Path> {
    place_of(names, of, |path| path.len() == 1 && is_of_id(path))
}

/// The place of the ids of the records. Most of them have to be different.
fn id_of_record(names: &SearchNames, fields: &Fields<'_>, finds_products: bool) -> Option<Path> {
    let (words, others, of): (&[&str], [&[&str]; 2], _) = match finds_products {
        true => (&PRODUCT, [&ORGANIZATION, &OFFERING], FieldOf::Product),
        false => (&ORGANIZATION, [&PRODUCT, &[]], FieldOf::Organization),
    };
    let by_target = place_of_ids(names, of);
    let differ = |ids: Vec<i64>| 2 * ids.iter().collect::<BTreeSet<_>>().len() > ids.len();
    let is_of_others = |path: &Path| others.iter().any(|others| names_id_of(others, path).is_some());
    fields.best(|path| {
        let by_name = || names_id_of(words, path).or_else(|| names_id(path).filter(|_| !is_of_others(path)));
        let named = match by_target.as_ref() == Some(path) {
            true => Named::ByTarget,
            false => by_name()?,
        };
        fields.ids(path).is_some_and(differ).then_some(named)
    })
}

/// The place of the ids of the organizations of products. If the target says where an organization has its id, a
/// product has it there too, in a member that is called after an organization.
fn organization_of_product(names: &SearchNames, fields: &Fields<'_>) -> Option<Path> {
    let by_target = place_of_ids(names, FieldOf::Organization);
    fields.best(|path| {
        let ends_so = by_target.as_ref().is_some_and(|place| path.ends_with(place));
        let by = |words: &[&str], is_other| {
            let around = path.split_last().map(|(_, around)| around)?;
            let is_within = around.iter().any(|name| words.contains(&plain(name).as_str()));
            let named = match ends_so && is_within {
                true => Named::ByTarget,
                false => names_id_of(words, path)?,
            };
            Some((is_other, named))
        };
        let named = by(&ORGANIZATION, false).or_else(|| by(&OFFERING, true))?;
        fields.ids(path).map(|_| named)
    })
}

/// How a path names the id of one of these.
fn names_id_of(words: &[&str], path: &[String]) -> Option<Named> {
    let (last, before) = path.split_last()?;
    let mut before = before.iter().rev().map(|name| plain(name));
    let before = before
        .find(|name| !WRAPPERS.contains(&name.as_str()))
        .unwrap_or_default();
    let last = plain(last);
    let is_one = |text: &str| words.contains(&text);
    let mut stems = SUFFIXES.iter().filter_map(|suffix| last.strip_suffix(suffix));
    if stems.any(is_one) || last == "id" && is_one(&before) {
        return Some(Named::Exactly);
    }
    let is_near = words
        .iter()
        .any(|word| before.starts_with(word) || before.ends_with(word));
    (is_near && IDS.contains(&last.as_str())).then_some(Named::Nearly)
}

/// Whether a name is that of a description.
fn describes(name: &str) -> bool {
    name.contains(DESCRIPTION) || ["about", "overview", "summary"].contains(&name)
}

/// How a path names an id, without saying of what.
fn names_id(path: &[String]) -> Option<Named> {
    let (last, before) = path.split_last()?;
    let is_id = IDS.contains(&plain(last).as_str());
    let named = if before.is_empty() { Named::Alone } else { Named::Inside };
    is_id.then_some(named)
}

/// The other fields of a result that have the names of the contract, apart from case and marks between words, wherever
/// they stand, and the only one that describes it.
fn others(
    contract: &Contract,
    operation: &Operation,
    names: &SearchNames,
    found: &Fields<'_>,
    organization: Option<&Path>,
) -> impl Iterator<Item = Move> {
    let page = operation
        .response(200)
        .and_then(|response| contract.get(&format!("{}/content/application~1json/schema", response.pointer)));
    let result = page.map(|page| &contract.resolve(page)["properties"][RESULTS]["items"]);
    let of_contract = result.map(|result| fields(contract, result)).unwrap_or_default();
    let organization = organization.and_then(|id| Some(id.split_last()?.1));
    let organization = organization.filter(|path| !path.is_empty());
    of_contract.into_iter().filter_map(move |Field { path: to, schema }| {
        let is_of_organization = to.first().is_some_and(|name| name == ORGANIZATION_ID[0]);
        let name = plain(to.last()?);
        let is_description = to == [DESCRIPTION];
        let from = found.best_of_any(|from| {
            let stands_there = organization.is_some_and(|organization| from.starts_with(organization));
            let last = plain(from.last()?);
            let is_so_called = last == name;
            let is_like_it = is_so_called || is_description && describes(&last) && found.has_texts(from);
            (is_like_it && stands_there == is_of_organization).then_some((!is_so_called, *from != to))
        })?;
        Some(Move {
            reading: Reading::of(contract, schema, names.dates()),
            ..Move::new(from, to)
        })
    })
}

/// The fields whose places the target names. Those of a product's organization are in an object around its id, perhaps
/// without the members that only lead to an organization that is the result itself, such as `_source`.
fn named(
    contract: &Contract,
    names: &SearchNames,
    found: &Fields<'_>,
    finds_products: bool,
    organization: Option<&Path>,
) -> impl Iterator<Item = Move> {
    let around = |id: &Path| id.split_last().map(|(_, around)| around.to_vec()).unwrap_or_default();
    let (to_organization, organization) = match finds_products {
        true => (vec![ORGANIZATION_ID[0].to_owned()], organization.map(around)),
        false => (Vec::new(), Some(Path::new())),
    };
    let of_organization = organization.map(|from| (FieldOf::Organization, from, to_organization));
    let of_product = finds_products.then(|| (FieldOf::Product, Path::new(), Path::new()));
    let of_both = of_organization.into_iter().chain(of_product);
    of_both.flat_map(move |(of, from_record, to_record)| {
        // The score belongs to the result.
        let places = names
            .places(of)
            .filter(|(known, _)| !is_at(&known.field.path, DISTANCE));
        places.map(move |(known, place)| {
            let Field { path, schema } = known.field;
            // The whole place first, in the nearest object around the id. The product is not one of them: what stands
            // there is not about its organization.
            let depths = from_record.len().min(1)..=from_record.len();
            let records: Vec<_> = depths.rev().map(|depth| &from_record[..depth]).collect();
            let starts = if from_record.is_empty() { 1 } else { place.len() };
            let mut places = (0..starts).flat_map(|start| {
                let place = &place[start..];
                records.iter().map(move |record| [record, place].concat())
            });
            let from = places.find(|place| found.any_has(place));
            let (to, in_entry) = match known.of_entries {
                Some(list) => (list, Some(path)),
                None => (path, None),
            };
            Move {
                from: from.unwrap_or_else(|| [from_record.clone(), place].concat()),
                to: [to_record.clone(), to].concat(),
                in_entry,
                reading: Reading::of(contract, schema, names.dates()),
                is_named: true,
            }
        })
    })
}

/// The place of the number of all results, which is not less than that of a page.
fn total(body: &Value, list: &Path, results: usize) -> Option<Path> {
    // The number may be the value of an object with this name.
    let name_of = |path: &Path| match path.as_slice() {
        [.., name, value] if value == "value" => Some(plain(name)),
        [.., name] => Some(plain(name)),
        [] => None,
    };
    let totals = leaves(body).into_iter().filter_map(|(path, value)| {
        let number = usize::try_from(value.as_u64()?).ok()?;
        let name = name_of(&path).filter(|_| path != *list)?;
        let rank = |names: &[&str]| names.iter().position(|known| *known == name);
        // Others count the results with one value of a field, deeper than the list.
        let is_beside_the_list = path.len() <= list.len() + 1;
        let rank = match rank(&TOTALS) {
            Some(rank) if number >= results => (path.len(), rank),
            None if number > results && is_beside_the_list => (path.len(), TOTALS.len() + rank(&COUNTS)?),
            _ => return None,
        };
        Some((rank, path))
    });
    totals.min().map(|(_, path)| path)
}
