//! A target may name what searches call their parameters, values and fields. At the level `stated` the rules about
//! filters then hold on a deployment with names of its own.

use axum::Router;
use chrono::{DateTime, NaiveDate, NaiveTime};
use platform_conformance::report::Silent;
use platform_conformance::selftest::{Answered, Asked, Plant, faults, variants};
use platform_conformance::{Level, Options, Report, SearchNames, Verdict, catalogue, run};
use serde_json::{Value, json};

use crate::foreign::otherwise;
use crate::served::target;
use crate::stated::judged;

/// A target may name the parameters that the source leaves without a name. Then a filter that has no effect departs.
#[tokio::test(flavor = "multi_thread")]
async fn filters_are_judged_by_the_names_that_the_target_gives() {
    let case = "search-filter/employee-count-min-keeps-what-passes/search_organizations_by_description";
    let is_renamed = |variant: &variants::Variant| variant.name == "otherwise/filters-in-camel-case";
    let camel_case = otherwise().into_iter().find(is_renamed).unwrap();
    let ignored = faults::all()
        .into_iter()
        .find(|fault| fault.name == "filter/least-size-is-ignored");
    let ignored = ignored.unwrap();
    let sound = || crate::served::router();
    let table = [
        (ignored.around(sound(), 0), true, Verdict::Failed),
        (ignored.around(sound(), 0), false, Verdict::Informed),
        (sound(), true, Verdict::Passed),
    ];
    for (router, names_it, verdict) in table {
        let mut target = target(camel_case.around(router, 0)).await;
        if names_it {
            let names = SearchNames::default().with_parameter("employee_count_min", "employeeCountMin");
            target = target.with_search_names(names.unwrap());
        }
        let seen = judged(&target, case).await;
        assert_eq!(seen.verdict, verdict, "{seen}");
    }
}

/// What this deployment calls the parts of searches, except for one field.
fn names_without(unnamed: &str) -> SearchNames {
    let parameters = [
        ("countries", "country"),
        ("regions", "area"),
        ("employee_count_min", "size"),
        ("employee_count_max", "size"),
        ("founded_year_min", "founded"),
        ("founded_year_max", "founded"),
        ("business_types", "tag"),
        ("funding_stages", "round"),
        ("funded_from", "funded"),
        ("funded_to", "funded"),
        ("headquarters_only", "where"),
        ("skip", "page"),
        ("limit", "top"),
    ];
    let fields = [
        ("organization.metrics.employee_count", "headcount"),
        ("organization.metrics.founded_on", "since"),
        ("organization.metrics.funding.last_round_stage", "latest.round"),
        ("organization.metrics.funding.last_round_on", "latest.at"),
        ("organization.headquarters.country", "hq.iso"),
        ("organization.headquarters.region", "hq.area"),
        ("organization.locations.country", "offices.iso"),
        ("organization.locations.region", "offices.area"),
        ("product.categories", "tags.slug"),
    ];
    let names = SearchNames::default()
        .with_commas()
        .with_range("size", "..")
        .with_range("founded", "..")
        .with_range("funded", "..")
        .with_first_page(1)
        .with_dates_in_seconds();
    let names = parameters
        .into_iter()
        .try_fold(names, |names, (name, theirs)| names.with_parameter(name, theirs));
    let names = fields
        .into_iter()
        .filter(|(field, _)| *field != unnamed)
        .try_fold(names.unwrap(), |names, (field, at)| names.with_field(field, at));
    let values = [("true", "head office"), ("false", "anywhere")];
    let names = values.into_iter().try_fold(names.unwrap(), |names, (value, theirs)| {
        names.with_value("headquarters_only", value, theirs)
    });
    names.unwrap()
}

/// The reference server with other names for all parts of searches. It rejects the contract's.
fn renamed(router: Router) -> Router {
    Plant::request(read_query).and_answer(write_page).around(router)
}

fn read_query(asked: &mut Asked) {
    if !asked.searches() {
        return;
    }
    let top = asked.number("top").unwrap_or(20);
    let query = std::mem::take(&mut asked.query);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let read = pairs.flat_map(|(name, value)| match name {
        "country" => values("countries", value),
        "area" => values("regions", value),
        "tag" => values("business_types", value),
        "round" => values("funding_stages", &value.to_lowercase().replace('+', "_")),
        "size" => bounds(["employee_count_min", "employee_count_max"], value, str::to_owned),
        "founded" => bounds(["founded_year_min", "founded_year_max"], value, str::to_owned),
        "funded" => bounds(["funded_from", "funded_to"], value, |time| {
            let time = time.parse().ok().and_then(|time| DateTime::from_timestamp(time, 0));
            time.map_or_else(|| "not a time".to_owned(), |time| time.date_naive().to_string())
        }),
        "where" if value == "anywhere" => values("headquarters_only", "false"),
        "where" => values("headquarters_only", "true"),
        "top" => vec![format!("limit={top}")],
        "page" => {
            let page: i64 = value.parse().unwrap_or(1);
            vec![format!("skip={}", (page - 1) * top)]
        }
        "description" | "organization_customer" | "product_customer" => {
            vec![format!("{name}={value}")]
        }
        _ => vec![format!("unknown-{name}={value}")],
    });
    asked.query = read.collect::<Vec<_>>().join("&");
}

fn values(name: &str, list: &str) -> Vec<String> {
    list.split(',').map(|value| format!("{name}={value}")).collect()
}

fn bounds(names: [&str; 2], range: &str, read: fn(&str) -> String) -> Vec<String> {
    let (from, to) = range.split_once("..").unwrap_or((range, range));
    let bounds = names.into_iter().zip([from, to]).filter(|(_, bound)| !bound.is_empty());
    bounds.map(|(name, bound)| format!("{name}={}", read(bound))).collect()
}

fn write_page(asked: &Asked, answered: &mut Answered) {
    if asked.searches() && answered.is_success() {
        let page = answered.json().take();
        let results = page["results"].as_array().into_iter().flatten().map(write_result);
        let page = json!({"found": results.collect::<Value>(), "total": page["total_count"]});
        answered.set_text(page.to_string());
    }
}

fn write_result(result: &Value) -> Value {
    let mut written = match result.get("product_id") {
        None => write_organization(result),
        Some(id) => {
            let tags = result["categories"].as_array().into_iter().flatten();
            let tags: Value = tags.map(|slug| json!({"slug": slug})).collect();
            let vendor = write_organization(&result["organization"]);
            json!({"id": id, "title": result["name"], "about": result["description"], "tags": tags, "vendor": vendor})
        }
    };
    written["distance"] = result["similarity"]["cosine_distance"].clone();
    written
}

fn write_organization(organization: &Value) -> Value {
    let place = |place: &Value| json!({"iso": place["country"], "area": place["region"]});
    let time = |date: &Value| {
        let date: Option<NaiveDate> = date.as_str().and_then(|date| date.parse().ok());
        date.map(|date| date.and_time(NaiveTime::MIN).and_utc().timestamp())
    };
    let metrics = &organization["metrics"];
    let funding = &metrics["funding"];
    let round = funding["last_round_stage"]
        .as_str()
        .map(|stage| stage.to_uppercase().replace('_', " "));
    let offices = organization["locations"].as_array().into_iter().flatten();
    json!({
        "id": organization["organization_id"],
        "title": organization["name"],
        "about": organization["description"],
        "headcount": metrics["employee_count"].as_i64().map(|count| count.to_string()),
        "since": time(&metrics["founded_on"]),
        "latest": {"round": round, "at": time(&funding["last_round_on"])},
        "hq": place(&organization["headquarters"]),
        "offices": offices.map(place).collect::<Value>(),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_are_checked_on_a_deployment_with_names_of_its_own() {
    let report = report_of_filters(names_without("")).await;
    let others = report.cases.iter().filter(|case| case.verdict != Verdict::Passed);
    let others: Vec<_> = others.map(ToString::to_string).collect();
    assert_eq!(others, [""; 0], "{:?}", report.summary);
}

/// What results do not show contradicts no filter.
#[tokio::test(flavor = "multi_thread")]
async fn offices_whose_region_is_not_shown_may_be_in_any() {
    let report = report_of_filters(names_without("organization.locations.region")).await;
    let failed = report.cases.iter().filter(|case| case.verdict == Verdict::Failed);
    let failed: Vec<_> = failed.map(ToString::to_string).collect();
    assert_eq!(failed, [""; 0]);
    assert!(
        report.summary.passed > report.summary.inconclusive,
        "{:?}",
        report.summary
    );
}

/// Without a total, a walk goes on to an empty page. Behind a last page that is not full only a shorter one begins, and
/// its number leads there; a position would be an unknown parameter, which many deployments ignore.
#[tokio::test(flavor = "multi_thread")]
async fn numbered_pages_without_a_total_are_walked_to_their_end() {
    let without_a_total = Plant::request(|asked| asked.remove("skip")).and_answer(|asked, answered| {
        if asked.searches() && answered.is_success() {
            answered.json().as_object_mut().unwrap().remove("total");
        }
    });
    let router = without_a_total.around(renamed(crate::served::router()));
    let target = target(router).await.with_search_names(names_without(""));
    let case = "search-ranking/nearest-first-ties-by-id/search_organizations_by_description";
    let seen = judged(&target, case).await;
    assert_eq!(seen.verdict, Verdict::Passed, "{seen}");
}

/// Whether bounds are inclusive is decided. Where they are not, fewer records pass, and the last page of those that
/// pass inclusive ones may be empty.
#[tokio::test(flavor = "multi_thread")]
async fn page_behind_the_end_of_an_exclusive_bound_does_not_fail() {
    let few = Plant::answer(|asked, answered| {
        let has_bound = asked.parameter("size").is_some_and(|range| range.starts_with(".."));
        if has_bound && asked.number("page").is_some_and(|page| page > 2) {
            answered.json()["found"] = json!([]);
        }
    });
    let router = few.around(renamed(crate::served::router()));
    let target = target(router).await.with_search_names(names_without(""));
    let case = "search-filter/holds-on-later-pages/search_organizations_by_description";
    let seen = judged(&target, case).await;
    assert_eq!(seen.verdict, Verdict::Informed, "{seen}");
}

/// Whether a parameter takes several values is decided, but a target may state that it does.
#[tokio::test(flavor = "multi_thread")]
async fn values_of_a_list_are_alternatives_where_the_target_states_how_they_are_written() {
    let mut all = faults::all().into_iter();
    let fault = all.find(|fault| fault.name == "filter/first-country-counts").unwrap();
    let case = "search-filter/countries-keeps-what-fits-any/search_organizations_by_description";
    let countries = || SearchNames::default().with_parameter("countries", "countries").unwrap();
    let table = [
        (countries(), Verdict::Informed),
        (countries().with_repeated_lists(), Verdict::Failed),
    ];
    for (names, verdict) in table {
        let target = target(fault.around(crate::served::router(), 0)).await;
        let seen = judged(&target.with_search_names(names), case).await;
        assert_eq!(seen.verdict, verdict, "{seen}");
    }
}

/// The two most frequent stages are compared record by record; a rare one may be unknown to one search alone.
#[tokio::test(flavor = "multi_thread")]
async fn rare_value_that_one_search_does_not_know_fails() {
    let case = "search-filter/funding-stages-keeps-what-fits-any/search_products_by_description";
    let names = || {
        SearchNames::default()
            .with_parameter("funding_stages", "funding_stages")
            .unwrap()
    };
    for (operations, verdict) in [
        (&["search_products_by_description"][..], Verdict::Failed),
        // Where no search knows it, filters may have another name for it.
        (
            &[
                "search_products_by_description",
                "search_products_by_customer",
                "search_products_by_product",
                "search_organizations_by_description",
                "search_organizations_by_customer",
                "search_organizations_by_organization",
            ],
            Verdict::Passed,
        ),
    ] {
        let unknown = Plant::answer(move |asked, answered| {
            let is_alone = asked.query.matches("funding_stages=").count() == 1;
            let is_rare = is_alone
                && asked
                    .parameter("funding_stages")
                    .is_some_and(|stage| stage == "series_c");
            if is_rare && operations.iter().any(|operation| asked.calls(operation)) {
                answered.json()["results"] = json!([]);
                answered.json()["total_count"] = json!(0);
            }
        });
        let target = target(unknown.around(crate::served::router())).await;
        let seen = judged(&target.with_search_names(names()), case).await;
        assert_eq!(seen.verdict, verdict, "{seen}");
    }
}

/// Whether a record without a stage passes is decided, but it cannot pass one stage alone.
#[tokio::test(flavor = "multi_thread")]
async fn record_without_a_stage_that_one_stage_alone_keeps_fails() {
    let case = "search-filter/funding-stages-keeps-what-fits-any/search_organizations_by_description";
    // A record without a stage may pass every single stage.
    for (beginning, verdict) in [("series_c", Verdict::Failed), ("", Verdict::Passed)] {
        let stage = move |asked: &Asked| {
            let is_alone = asked.query.matches("funding_stages=").count() == 1;
            let stage = asked.parameter("funding_stages").filter(|_| is_alone)?;
            let is_search = asked.calls("search_organizations_by_description");
            (is_search && stage.starts_with(beginning)).then(|| stage.to_owned())
        };
        let unfiltered = Plant::request(move |asked| {
            if stage(asked).is_some() {
                asked.remove("funding_stages");
            }
        });
        let plant = unfiltered.and_answer(move |asked, answered| {
            if let (Some(stage), Some(results)) = (stage(asked), answered.list("results")) {
                results.retain(|record| {
                    let seen = &record["metrics"]["funding"]["last_round_stage"];
                    seen.is_null() || *seen == stage
                });
            }
        });
        let names = SearchNames::default().with_parameter("funding_stages", "funding_stages");
        let target = target(plant.around(crate::served::router())).await;
        let seen = judged(&target.with_search_names(names.unwrap()), case).await;
        assert_eq!(seen.verdict, verdict, "{seen}");
    }
}

/// Between records at the same distance no order is wrong, so the run takes a text that tells records apart.
#[tokio::test(flavor = "multi_thread")]
async fn order_is_checked_by_a_text_that_tells_most_records_apart() {
    let example = "keeps%20fresh%20fish";
    let tail_is_backwards = Plant::answer(move |asked, answered| {
        if !asked.calls("search_organizations_by_description") || !answered.is_success() {
            return;
        }
        let is_example = asked
            .parameter("description")
            .is_some_and(|text| text.starts_with(example));
        if let Some(results) = answered.list("results") {
            let is_first_page = asked.number("skip").is_none_or(|skip| skip == 0);
            let few = if is_first_page { results.len().min(2) } else { 0 };
            match is_example {
                true => results[few..]
                    .iter_mut()
                    .for_each(|result| result["similarity"]["cosine_distance"] = json!(1.0)),
                false => results[few..].reverse(),
            }
        }
    });
    let target = target(tail_is_backwards.around(crate::served::router())).await;
    let case = "search-ranking/nearest-first-ties-by-id/search_organizations_by_description";
    let seen = judged(&target, case).await;
    assert_eq!(seen.verdict, Verdict::Failed, "{seen}");
}

/// The report of some rules about filters on a deployment with names of its own, at the level `stated`.
async fn report_of_filters(names: SearchNames) -> Report {
    let target = target(renamed(crate::served::router())).await.with_search_names(names);
    let rules = [
        "search-filter/*-keeps-what-*",
        "search-filter/each-pair-*",
        "search-headquarters/*",
    ];
    let options = Options {
        level: Level::Stated,
        only: rules.map(Into::into).into(),
        ..Options::default()
    };
    run(catalogue(), &target, &options, &mut Silent).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_filters_are_found_on_a_deployment_with_names_of_its_own() {
    let table = [
        ("filter/countries-are-ignored", "countries-keeps-what-fits-any"),
        ("filter/regions-are-ignored", "regions-keeps-what-fits-any"),
        ("filter/least-size-is-ignored", "employee-count-min-keeps-what-passes"),
        (
            "filter/greatest-size-is-one-more",
            "employee-count-max-keeps-what-passes",
        ),
        (
            "filter/earliest-year-is-the-year-before",
            "founded-year-min-keeps-what-passes",
        ),
        ("filter/latest-year-is-ignored", "founded-year-max-keeps-what-passes"),
        ("filter/stages-are-ignored", "funding-stages-keeps-what-fits-any"),
        ("filter/dates-are-years", "funded-from-keeps-what-passes"),
    ];
    for (name, rule) in table {
        let fault = faults::all().into_iter().find(|fault| fault.name == name).unwrap();
        let target = target(renamed(fault.around(crate::served::router(), 0))).await;
        let case = format!("search-filter/{rule}/search_organizations_by_description");
        let seen = judged(&target.with_search_names(names_without("")), &case).await;
        assert_eq!(seen.verdict, Verdict::Failed, "{name}: {seen}");
    }
}
