//! What a filter keeps: exactly the records of the unfiltered search that pass it, in the same order, at
//! the same distance. The values are taken from what the deployment holds, so no known data is needed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::search::calls::{Finds, Search, Walk, Walks, count, walk};
use crate::search::keeps::{
    Filters, categories, employee_count, filter, keeps, last_round_on, last_round_stage, places,
    year,
};
use crate::search::order::{assert_law, filtered, pages};
use crate::search::seen::{alternatives, bound_just_missed, most_telling, own_values};
use engine::case::Case;
use engine::session::Probe;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

const GROUP: &str = "search-filter";

/// The filters that give one bound.
const BOUNDS: [&str; 6] = [
    "employee_count_min",
    "employee_count_max",
    "founded_year_min",
    "founded_year_max",
    "funded_from",
    "funded_to",
];
/// The lists that look at a field which every result shows.
const LISTS: [&str; 3] = ["countries", "regions", "funding_stages"];
const EARLIEST: &str = "0001-01-01";
const LATEST: &str = "9999-12-31";
/// Well-formed values that stand for nothing: `ZZ` is no country, and will be none.
const UNKNOWN: [(&str, &str); 3] = [
    ("countries", "ZZ"),
    ("regions", "ZZ-ZZZ"),
    (
        "business_types",
        "zz_no_such_category_zz_no_such_category_zz_no_such_category_zz_x",
    ),
];

/// A field that a filter looks at and a record may lack.
struct Field {
    law: &'static str,
    /// What the contract says of a record that lacks it.
    sentence: &'static str,
    /// The parameter that says so.
    parameter: &'static str,
    is_lacking: fn(&Value) -> bool,
    /// Filters that every record passes which has it, as far as a request can say so.
    widest: fn(Search, &Walk) -> Filters,
}

const FIELDS: [Field; 6] = [
    Field {
        law: "without-employee-count-is-never-kept",
        sentence: "One whose number of employees is not known is never kept.",
        parameter: "employee_count_min",
        is_lacking: |organization| employee_count(organization).is_none(),
        widest: |search, _| full_range(search, ["employee_count_min", "employee_count_max"]),
    },
    Field {
        law: "without-founding-date-is-never-kept",
        sentence: "One whose founding date is not known is never kept.",
        parameter: "founded_year_min",
        is_lacking: |organization| year(organization).is_none(),
        widest: |search, _| full_range(search, ["founded_year_min", "founded_year_max"]),
    },
    Field {
        law: "without-dated-round-is-never-kept",
        sentence: "One without a dated round is never kept.",
        parameter: "funded_from",
        is_lacking: |organization| last_round_on(organization).is_none(),
        widest: |_, _| {
            vec![
                ("funded_from", EARLIEST.to_owned()),
                ("funded_to", LATEST.to_owned()),
            ]
        },
    },
    Field {
        law: "without-round-is-never-kept",
        sentence: "One without a round is never kept.",
        parameter: "funding_stages",
        is_lacking: |organization| last_round_stage(organization).is_none(),
        widest: |search, _| {
            let stages =
                search.operation.parameter("funding_stages").schema["items"]["enum"].as_array();
            let stages = stages.into_iter().flatten().filter_map(Value::as_str);
            stages
                .map(|stage| ("funding_stages", stage.to_owned()))
                .collect()
        },
    },
    Field {
        law: "without-country-is-never-kept",
        sentence: "A record without a country is never kept",
        parameter: "countries",
        is_lacking: |organization| places(organization, "country", true).is_empty(),
        widest: |search, walk| all_places(search, walk, "countries", "country"),
    },
    Field {
        law: "without-region-is-never-kept",
        sentence: "A record without a region is never kept",
        parameter: "regions",
        is_lacking: |organization| places(organization, "region", true).is_empty(),
        widest: |search, walk| all_places(search, walk, "regions", "region"),
    },
];

fn full_range(search: Search, bounds: [&'static str; 2]) -> Filters {
    let [least, most] = bounds;
    vec![
        (least, search.number(least, "minimum").to_string()),
        (most, search.number(most, "maximum").to_string()),
    ]
}

/// As many of the places that were seen as a list takes.
fn all_places(search: Search, walk: &Walk, parameter: &'static str, member: &str) -> Filters {
    let organizations = walk
        .results
        .iter()
        .map(|result| search.finds.organization(result));
    let seen: BTreeSet<_> = organizations
        .flat_map(|organization| places(organization, member, true))
        .collect();
    let listed = seen.into_iter().take(search.most_values(parameter));
    listed.map(|place| (parameter, place.to_owned())).collect()
}

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let walks = Walks::of_pages(i64::MAX);
    Search::of(contract)
        .into_iter()
        .flat_map(|search| of_search(search, walks))
        .collect()
}

/// The most requests of a case: two walks as far as a search reaches, and a little more.
const PAGES: u64 = 24;

fn of_search(search: Search, walks: Walks) -> Vec<Case> {
    let case = |law: &str, title: &str, parameter: &str| {
        search
            .case(GROUP, law, title, search.place_of(parameter))
            .sends(PAGES)
    };
    let mut cases = Vec::new();
    for name in BOUNDS {
        let title = format!("{name} keeps exactly those that pass, the bound included");
        let case = case(&format!("{name}-keeps-what-passes"), &title, name);
        cases.push(with(walks, case, move |probe, walks| {
            kept_by_bound(probe, search, walks, name)
        }));
    }
    for name in LISTS {
        let title = format!("{name} keeps exactly those that any of its values fits");
        let case = case(&format!("{name}-keeps-what-fits-any"), &title, name);
        cases.push(with(walks, case, move |probe, walks| {
            kept_by_any(probe, search, walks, name)
        }));
    }
    let title = "business_types keeps exactly those in any of the categories";
    let of_types = case(
        "business_types-keeps-what-fits-any",
        title,
        "business_types",
    );
    cases.push(match search.finds {
        Finds::Organizations => with(
            walks,
            of_types.quote("An organization is in the categories of its products"),
            move |probe, walks| organizations_in_categories(probe, search, walks),
        ),
        Finds::Products => with(
            walks,
            of_types.quote("a product search looks at the product's own."),
            move |probe, walks| kept_by_any(probe, search, walks, "business_types"),
        ),
    });
    let equal = case(
        "equal-bounds-keep-what-is-there",
        "A range of one value keeps those of that value",
        BOUNDS[0],
    );
    let equal = BOUNDS[1..]
        .iter()
        .fold(equal, |case, name| case.and(search.place_of(name)))
        .led_by("/info", "Bounds are inclusive.");
    cases.push(with(walks, equal, move |probe, walks| {
        kept(probe, search, walks, BOUNDS.to_vec())
    }));
    let together = [
        "countries",
        "employee_count_min",
        "founded_year_max",
        "funding_stages",
    ];
    let title = "A record has to pass every filter";
    let all = case("different-filters-hold-together", title, together[0])
        .led_by("/info", "Filters may be combined.")
        .led_by("/info", "A result passes every filter that is given");
    cases.push(with(walks, all, move |probe, walks| {
        kept(probe, search, walks, together.to_vec())
    }));
    for field in &FIELDS {
        let case = case(
            field.law,
            "A record that lacks what a filter looks at is not kept",
            field.parameter,
        );
        let case = case.quote(field.sentence);
        cases.push(with(walks, case, move |probe, walks| {
            lacking(probe, search, walks, field)
        }));
    }
    for (name, value) in UNKNOWN {
        let law = format!("{name}-unknown-value-finds-nothing");
        let case = case(
            &law,
            "A well-formed value that nothing has finds nothing",
            name,
        );
        cases.push(case.check(move |probe| nothing(probe, search, name, value)));
    }
    cases
}

fn with<F, Answered>(walks: Walks, case: Case, check: F) -> Case
where
    F: Fn(Probe, Walks) -> Answered + Send + Sync + 'static,
    Answered: Future<Output = Outcome> + Send + 'static,
{
    case.check(move |probe| check(probe, walks))
}

/// The records that the first page of a search may show: values are taken from among them, so that a
/// record at a bound is on the first page of the filtered search too.
fn nearest(search: Search, all: &Walk) -> &[Value] {
    let most = usize::try_from(search.number("limit", "maximum")).unwrap_or(usize::MAX);
    &all.results[..all.results.len().min(most)]
}

/// A bound at which some record stands, and one that some record misses by the least step.
async fn kept_by_bound(probe: Probe, search: Search, walks: Walks, name: &'static str) -> Outcome {
    let all = walks.of(&probe, search).await?;
    let records = nearest(search, &all);
    let at = records
        .iter()
        .filter_map(|record| own_values(search, &[name], record));
    let missed = records
        .iter()
        .filter_map(|record| bound_just_missed(search, name, record));
    let (Some(at), Some(missed)) = (
        most_telling(search, records, at),
        most_telling(search, records, missed),
    ) else {
        return probe.inconclusive(format!("records that differ in what {name} looks at"));
    };
    for filters in [at, missed] {
        compare(&probe, search, &all, &filters, 0, |record| {
            keeps(search.finds, &filters, record)
        })
        .await?;
    }
    Ok(())
}

/// Filters on these parameters, made of the fields of one record.
async fn kept(probe: Probe, search: Search, walks: Walks, names: Vec<&'static str>) -> Outcome {
    let all = walks.of(&probe, search).await?;
    let records = nearest(search, &all);
    let candidates = records
        .iter()
        .filter_map(|record| own_values(search, &names, record));
    match most_telling(search, records, candidates) {
        Some(filters) => {
            compare(&probe, search, &all, &filters, 0, |record| {
                keeps(search.finds, &filters, record)
            })
            .await
        }
        None => probe.inconclusive(format!(
            "records that differ in what {} look at",
            names.join(", ")
        )),
    }
}

/// Two values of a list, each of some record.
async fn kept_by_any(probe: Probe, search: Search, walks: Walks, name: &'static str) -> Outcome {
    let all = walks.of(&probe, search).await?;
    match alternatives(search, name, nearest(search, &all)) {
        Some(filters) => {
            compare(&probe, search, &all, &filters, 0, |record| {
                keeps(search.finds, &filters, record)
            })
            .await
        }
        None => probe.inconclusive(format!("records of three different {name}")),
    }
}

/// The widest filter on a field, walked as far down as the first record that lacks it.
async fn lacking(probe: Probe, search: Search, walks: Walks, field: &'static Field) -> Outcome {
    let all = walks.of(&probe, search).await?;
    let organization = |record| search.finds.organization(record);
    let first = all
        .results
        .iter()
        .position(|record| (field.is_lacking)(organization(record)));
    let Some(first) = first else {
        return probe.inconclusive(format!(
            "a record without what {} looks at",
            field.parameter
        ));
    };
    let filters = (field.widest)(search, &all);
    compare(&probe, search, &all, &filters, first + 1, |record| {
        keeps(search.finds, &filters, record)
    })
    .await
}

/// Compares a filtered search with the unfiltered one, on a page of the largest size and as far down as
/// it is wanted.
async fn compare(
    probe: &Probe,
    search: Search,
    all: &Walk,
    filters: &Filters,
    wanted: usize,
    keeps: impl Fn(&Value) -> bool,
) -> Outcome {
    let most = search.number("limit", "maximum");
    let wanted = i64::try_from(wanted)
        .unwrap_or(most)
        .clamp(most, search.reach());
    let found = walk(
        probe,
        &|| Ok(filter(search.call(probe)?, filters)),
        most,
        wanted,
    )
    .await?;
    let mut departures = filtered(search.finds, all, &found, keeps);
    departures.extend(pages(&found, &[], wanted));
    let shown: Vec<_> = filters
        .iter()
        .take(4)
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let law = format!("the search with {}", shown.join("&"));
    let evidence: Vec<_> = found.pages.iter().chain(all.pages.first()).collect();
    assert_law(probe, &law, &departures, &evidence);
    Ok(())
}

async fn nothing(probe: Probe, search: Search, name: &'static str, value: &'static str) -> Outcome {
    let answer = search.call(&probe)?.query(name, value).send().await?;
    probe
        .expect(&answer)
        .status(200)
        .body("/total_count", 0)
        .body("/results", Vec::<Value>::new());
    Ok(())
}

/// An organization does not show its categories; the search for products tells who offers what.
async fn organizations_in_categories(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let all = walks.of(&probe, search).await?;
    let Some(for_products) = Search::described(probe.contract(), Finds::Products) else {
        return probe.inconclusive("a search for products by description");
    };
    let products = walks.of(&probe, for_products).await?;
    let met: BTreeSet<_> = all
        .results
        .iter()
        .map(|result| search.finds.id(result))
        .collect();
    let Some(filters) = rare_categories(&products.results, &met) else {
        return probe.inconclusive(
            "products of two categories, offered by organizations that the search finds",
        );
    };
    let offered = every_product(&probe, for_products, &filters).await?;
    let offering: BTreeSet<_> = offered
        .results
        .iter()
        .filter_map(|product| product["organization"]["organization_id"].as_i64())
        .collect();
    compare(&probe, search, &all, &filters, 0, |record| {
        offering.contains(&search.finds.id(record))
    })
    .await
}

/// The two categories with the fewest products among those that the organizations offer: all of their
/// products can be reached.
fn rare_categories(products: &[Value], organizations: &BTreeSet<i64>) -> Option<Filters> {
    let mut times = BTreeMap::<&str, i64>::new();
    for product in products {
        let offered = product["organization"]["organization_id"].as_i64();
        if offered.is_some_and(|id| organizations.contains(&id)) {
            categories(product)
                .into_iter()
                .for_each(|category| *times.entry(category).or_default() += 1);
        }
    }
    let mut rarest: Vec<_> = times.into_iter().collect();
    rarest.sort_by_key(|(_, times)| *times);
    let filters: Filters = rarest
        .into_iter()
        .take(2)
        .map(|(category, _)| ("business_types", category.to_owned()))
        .collect();
    (filters.len() == 2).then_some(filters)
}

/// Every product that passes filters.
async fn every_product(
    probe: &Probe,
    for_products: Search,
    filters: &Filters,
) -> Result<Walk, Stop> {
    let most = for_products.number("limit", "maximum");
    let call = || Ok(filter(for_products.call(probe)?, filters));
    let found = walk(probe, &call, most, for_products.reach()).await?;
    if found.total_count > count(&found.results) {
        let looked_for = format!("categories of at most {} products", for_products.reach());
        return Err(Stop::Inconclusive(looked_for));
    }
    Ok(found)
}
