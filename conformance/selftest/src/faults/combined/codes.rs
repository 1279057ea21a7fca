//! Lists of codes: parts of a code, values given twice, and values that no record has.

use super::{clause, cold, fish};
use crate::fault::{Fault, fault};

/// Some of the categories of the built-in data.
const TYPES: [&str; 57] = [
    "accounting",
    "additive_manufacturing",
    "advertising_services",
    "aerospace",
    "agriculture",
    "ai_platform",
    "analytics",
    "api_management",
    "apparel",
    "aquaculture",
    "automation",
    "automotive",
    "banking",
    "batteries",
    "beauty",
    "biotechnology",
    "business_intelligence",
    "carbon_management",
    "ceramics",
    "chemicals",
    "clinical_trials",
    "cloud_infrastructure",
    "collaboration",
    "construction",
    "consulting",
    "consumer_electronics",
    "content_management",
    "crm",
    "customer_support",
    "cybersecurity",
    "maritime",
    "warehousing",
    "veterinary",
    "education",
    "data_engineering",
    "database",
    "design_services",
    "developer_tools",
    "devops",
    "diabetes_care",
    "diagnostics",
    "digital_health",
    "digital_inclusion",
    "drones",
    "e_commerce",
    "e_learning",
    "elder_care",
    "electronics",
    "energy_efficiency",
    "energy_trading",
    "engineering_services",
    "erp",
    "ev_charging",
    "events",
    "fertility",
    "financing",
    "fisheries",
];

pub(super) fn faults() -> Vec<Fault> {
    vec![
        fault(
            "region-is-a-prefix",
            clause("regions"),
            "A region keeps those whose code begins like it.",
        )
        .shown_by([fish("regions=US-C")])
        .request(|asked| {
            let short = asked
                .parameter("regions")
                .filter(|code| code.len() == 4)
                .map(str::to_owned);
            if let Some(short) = short.filter(|_| asked.searches() && asked.query.matches("regions=").count() == 1) {
                asked
                    .query
                    .extend(('A'..='Z').map(|end| format!("&regions={short}{end}")));
            }
        }),
        fault(
            "value-twice-counts-twice",
            clause("countries"),
            "A country that is given twice counts its records twice.",
        )
        .shown_by([fish("countries=NO&countries=NO")])
        .answer(|asked, answered| {
            let mut countries: Vec<_> = asked
                .query
                .split('&')
                .filter(|pair| pair.starts_with("countries="))
                .collect();
            let given = countries.len();
            countries.sort_unstable();
            countries.dedup();
            if asked.searches() && answered.is_success() && countries.len() < given {
                let total = &mut answered.json()["total_count"];
                *total = (total.as_i64().unwrap_or(0) * 2).into();
            }
        }),
        fault(
            "region-is-its-end",
            clause("regions"),
            "A region keeps the regions of other countries whose codes end like it.",
        )
        .shown_by([fish("regions=AE-07"), fish("regions=AM-AZ")])
        .request(|asked| {
            const ENDS: [(&str, &str); 2] = [
                (
                    "-07",
                    "&regions=AD-07&regions=GT-07&regions=MY-07&regions=PT-07&regions=UA-07",
                ),
                ("-AZ", "&regions=AE-AZ&regions=US-AZ"),
            ];
            let region = asked.parameter("regions").unwrap_or_default();
            let same = ENDS.iter().find(|(end, _)| region.ends_with(end));
            let is_alone = asked.query.matches("regions=").count() == 1;
            if let Some((_, all)) = same.filter(|_| asked.searches() && is_alone) {
                asked.query.push_str(all);
            }
        }),
        fault("stage-is-a-part", clause("funding_stages"), "seed keeps pre_seed too.")
            .shown_by([fish("funding_stages=seed")])
            .request(|asked| {
                if asked.searches()
                    && asked.query.matches("funding_stages=").count() < 5
                    && asked.query.contains("funding_stages=seed")
                {
                    asked.query.push_str("&funding_stages=pre_seed");
                }
            }),
        fault(
            "stage-has-another-in-it",
            clause("funding_stages"),
            "pre_seed keeps seed too: the stage of a record is looked for in the text of the request.",
        )
        .shown_by([fish("funding_stages=pre_seed")])
        .request(|asked| {
            let is_alone = asked.query.matches("funding_stages=").count() == 1;
            if asked.searches() && is_alone && asked.query.contains("funding_stages=pre_seed") {
                asked.query.push_str("&funding_stages=seed");
            }
        }),
        fault(
            "region-begins-like-a-region",
            clause("regions"),
            "A region keeps the region whose code is the beginning of its own.",
        )
        .shown_by([fish("regions=NO-460")])
        .request(|asked| {
            let region = asked.parameter("regions").filter(|region| region.len() > 5);
            let begun = region.and_then(|region| region.get(..5));
            let begun = begun.map(|begun| format!("&regions={begun}"));
            if asked.searches() && asked.query.matches("regions=").count() == 1 {
                asked.query.extend(begun);
            }
        }),
        fault(
            "type-is-a-prefix",
            clause("business_types"),
            "A business type keeps those that begin like it.",
        )
        .shown_by([fish("business_types=maritim"), cold("business_types=agricultur")])
        .request(|asked| {
            let begun = asked.parameter("business_types").map(str::to_owned);
            if let Some(begun) = begun.filter(|begun| asked.searches() && begun.len() > 1) {
                asked.query.extend(
                    TYPES
                        .iter()
                        .filter(|slug| slug.starts_with(&begun) && **slug != begun)
                        .map(|slug| format!("&business_types={slug}")),
                );
            }
        }),
        fault(
            "type-of-organizations-is-a-part",
            clause("business_types"),
            "A business type keeps organizations in longer ones that contain it.",
        )
        .shown_by([fish("business_types=manufacturing")])
        .request(|asked| {
            let part = asked.parameter("business_types").map(str::to_owned);
            let is_alone = asked.query.matches("business_types=").count() == 1;
            let of_organizations = is_alone && asked.searches() && asked.path.contains("/organizations/");
            if let Some(part) = part.filter(|part| of_organizations && part.len() > 1) {
                let longer = TYPES.iter().filter(|slug| slug.contains(&part) && **slug != part);
                asked.query.extend(longer.map(|slug| format!("&business_types={slug}")));
            }
        }),
        fault(
            "unknown-country-spoils-the-list",
            clause("countries"),
            "A list with a country that no record has finds nothing.",
        )
        .shown_by([fish("countries=NO&countries=ZZ")])
        .request(|asked| {
            if asked.searches()
                && asked.query.matches("countries=").count() < 10
                && asked.query.contains("countries=ZZ")
            {
                asked.set("countries", "ZZ");
            }
        }),
        fault(
            "unknown-region-opens-the-list",
            clause("regions"),
            "A list with a region that no record has keeps everything.",
        )
        .shown_by([fish("regions=US-CA&regions=ZZ-ZZZ")])
        .request(|asked| {
            let among_others = asked.query.matches("regions=").count() == 2;
            if asked.searches() && among_others && asked.query.contains("regions=ZZ-") {
                asked.remove("regions");
            }
        }),
        fault(
            "unknown-type-spoils-the-list",
            clause("business_types"),
            "A list with a business type that no record has finds nothing.",
        )
        .shown_by([cold(
            "business_types=maritime&business_types=zz_no_such_category_zz_no_such_category_zz_no_such_category_zz_x",
        )])
        .request(|asked| {
            let unknown = "zz_no_such_category_zz_no_such_category_zz_no_such_category_zz_x";
            if asked.searches() && asked.query.contains(unknown) {
                asked.set("business_types", unknown);
            }
        }),
    ]
}
