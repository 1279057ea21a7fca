//! The standard search filters and the paging of searches, as parameters.

use std::sync::LazyLock;

use regex::Regex;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use crate::model::filter::Filters;
use crate::model::organization::FundingStage;
use crate::model::search::Page;
use crate::wire::page::read_page;
use crate::wire::parameter::{Date, Flag, Integer, List, Reader, pattern};
use crate::wire::problem::FaultKind;

/// Maximum number of results of a search that paging can reach.
const REACH: i64 = 1000;

const COUNTRIES: List = List {
    name: "countries",
    item: "CountryCode",
};
const REGIONS: List = List {
    name: "regions",
    item: "RegionCode",
};
const EMPLOYEE_COUNT_MIN: Integer = employee_count("employee_count_min");
const EMPLOYEE_COUNT_MAX: Integer = employee_count("employee_count_max");
const FOUNDED_YEAR_MIN: Integer = year("founded_year_min");
const FOUNDED_YEAR_MAX: Integer = year("founded_year_max");
const BUSINESS_TYPES: List = List {
    name: "business_types",
    item: "BusinessType",
};
const FUNDING_STAGES: List = List {
    name: "funding_stages",
    item: "FundingStage",
};
const FUNDED_FROM: Date = Date("funded_from");
const FUNDED_TO: Date = Date("funded_to");
const HEADQUARTERS_ONLY: Flag = Flag {
    name: "headquarters_only",
    default: true,
};
const SKIP: Integer = Integer {
    name: "skip",
    min: 0,
    max: REACH - 1,
    default: Some(0),
    format: "int32",
    schema: None,
};
const LIMIT: Integer = Integer {
    name: "limit",
    min: 1,
    max: 100,
    default: Some(20),
    format: "int32",
    schema: None,
};

const fn employee_count(name: &'static str) -> Integer {
    let max = i32::MAX as i64;
    Integer {
        name,
        min: 0,
        max,
        default: None,
        format: "int32",
        schema: Some("EmployeeCountBound"),
    }
}

const fn year(name: &'static str) -> Integer {
    Integer {
        name,
        min: 1,
        max: 9999,
        default: None,
        format: "int32",
        schema: Some("YearBound"),
    }
}

/// A code with its own form, which is a named schema of the contract.
struct Code {
    schema: &'static str,
    pattern: &'static str,
    /// What a wrong value should have been.
    must_be: &'static str,
}

const COUNTRY: Code = Code {
    schema: "CountryCode",
    pattern: "^[A-Z]{2}$",
    must_be: "must be an ISO 3166-1 alpha-2 code in upper case, such as NO",
};
const REGION: Code = Code {
    schema: "RegionCode",
    pattern: "^[A-Z]{2}-[A-Z0-9]{1,3}$",
    must_be: "must be an ISO 3166-2 code in upper case, such as US-CA",
};
const BUSINESS_TYPE: Code = Code {
    schema: "BusinessType",
    pattern: "^[a-z0-9_]{1,64}$",
    must_be: "must be a slug of 1 to 64 lower-case letters, digits and underscores",
};

impl Code {
    fn check(&self, form: &Regex, text: &str) -> Result<String, &'static str> {
        if form.is_match(text) {
            Ok(text.to_owned())
        } else {
            Err(self.must_be)
        }
    }
}

static COUNTRY_FORM: LazyLock<Regex> = LazyLock::new(|| pattern(COUNTRY.pattern));
static REGION_FORM: LazyLock<Regex> = LazyLock::new(|| pattern(REGION.pattern));
static BUSINESS_TYPE_FORM: LazyLock<Regex> = LazyLock::new(|| pattern(BUSINESS_TYPE.pattern));

/// The named schemas that the filters add to the document.
pub(in crate::wire) fn schemas() -> Vec<(&'static str, Schema)> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let mut schemas: Vec<(&str, Schema)> = Vec::new();
    for code in [COUNTRY, REGION, BUSINESS_TYPE] {
        schemas.push((code.schema, text().pattern(Some(code.pattern)).build().into()));
    }
    let stages = FundingStage::ALL.iter().map(|stage| stage.as_str());
    schemas.push((FUNDING_STAGES.item, text().enum_values(Some(stages)).build().into()));
    for bound in [EMPLOYEE_COUNT_MIN, FOUNDED_YEAR_MIN] {
        schemas.extend(bound.schema.map(|name| (name, bound.schema())));
    }
    schemas
}

/// The filters and the page of a search request.
#[derive(Debug)]
pub(in crate::wire) struct SearchScope {
    pub(in crate::wire) filters: Filters,
    pub(in crate::wire) page: Page,
}

impl SearchScope {
    /// Reads the parameters common to all searches.
    pub(in crate::wire) fn read(reader: &mut Reader) -> Option<Self> {
        let filters = Filters {
            countries: COUNTRIES.read(reader, |text| COUNTRY.check(&COUNTRY_FORM, text)),
            regions: REGIONS.read(reader, |text| REGION.check(&REGION_FORM, text)),
            employee_count_min: EMPLOYEE_COUNT_MIN.read(reader).map(i64::unsigned_abs),
            employee_count_max: EMPLOYEE_COUNT_MAX.read(reader).map(i64::unsigned_abs),
            founded_year_min: FOUNDED_YEAR_MIN.read(reader).and_then(|year| i32::try_from(year).ok()),
            founded_year_max: FOUNDED_YEAR_MAX.read(reader).and_then(|year| i32::try_from(year).ok()),
            business_types: BUSINESS_TYPES.read(reader, |text| BUSINESS_TYPE.check(&BUSINESS_TYPE_FORM, text)),
            funding_stages: FUNDING_STAGES.read(reader, |text| {
                let known = FundingStage::ALL.into_iter().find(|stage| stage.as_str() == text);
                known.ok_or("must be one of the stages that the contract lists, such as series_a")
            }),
            funded_from: FUNDED_FROM.read(reader),
            funded_to: FUNDED_TO.read(reader),
            headquarters_only: HEADQUARTERS_ONLY.read(reader),
        };
        reader.ordered(
            (EMPLOYEE_COUNT_MIN.name, filters.employee_count_min),
            (EMPLOYEE_COUNT_MAX.name, filters.employee_count_max),
        );
        reader.ordered(
            (FOUNDED_YEAR_MIN.name, filters.founded_year_min),
            (FOUNDED_YEAR_MAX.name, filters.founded_year_max),
        );
        reader.ordered((FUNDED_FROM.0, filters.funded_from), (FUNDED_TO.0, filters.funded_to));
        let page = read_page(reader, SKIP, LIMIT);
        if let Some(page) = page
            && page.skip + page.limit > REACH as usize
        {
            let msg = format!("skip + limit must be at most {REACH}: only the first {REACH} results can be reached");
            reader.fault(&["query", SKIP.name], msg, FaultKind::OutOfReach);
        }
        page.map(|page| Self { filters, page })
    }
}

impl IntoParams for SearchScope {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![
            COUNTRIES.describe(),
            REGIONS.describe(),
            EMPLOYEE_COUNT_MIN.describe(),
            EMPLOYEE_COUNT_MAX.describe(),
            FOUNDED_YEAR_MIN.describe(),
            FOUNDED_YEAR_MAX.describe(),
            BUSINESS_TYPES.describe(),
            FUNDING_STAGES.describe(),
            FUNDED_FROM.describe(),
            FUNDED_TO.describe(),
            HEADQUARTERS_ONLY.describe(),
            SKIP.describe(),
            LIMIT.describe(),
        ]
    }
}
