//! The names that a deployment has for what the source leaves without one: the parameters of searches and how their
//! values are written, and the fields of their results.

mod query;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, NaiveTime};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use url::form_urlencoded;

use platform_contract::{Contract, Field, Parameter, fields};

/// What a deployment calls the parameters of searches and the fields of their results, by the names of the contract,
/// and how it writes values. The source leaves this open, so these names are used at the level `stated`; at the level
/// `contract`, other names are departures.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use platform_conformance::{SearchNames, Target};
///
/// let names = SearchNames::default()
///     .with_parameter("countries", "countryCodes")?
///     .with_field("organization.headquarters.country", "location.hq.iso")?
///     .with_field("organization.locations.country", "offices.iso")?
///     .with_parameter("headquarters_only", "locationType")?
///     .with_value("headquarters_only", "true", "headquarters")?
///     .with_value("headquarters_only", "false", "any")?;
/// let target = Target::new("https://staging.example")?.with_search_names(names);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SearchNames {
    /// None if the target does not state whether parameters take several values.
    #[serde(skip_serializing_if = "is_default")]
    lists: Option<Lists>,
    /// The number of the first page, if `skip` counts pages.
    #[serde(skip_serializing_if = "is_default")]
    first_page: Option<i64>,
    #[serde(skip_serializing_if = "is_default")]
    dates: Dates,
    #[serde(skip_serializing_if = "is_default")]
    parameters: BTreeMap<String, String>,
    /// What stands between the bounds of a range, by the deployment's parameter.
    #[serde(skip_serializing_if = "is_default")]
    ranges: BTreeMap<String, String>,
    /// The deployment's values, by parameter and the contract's value.
    #[serde(skip_serializing_if = "is_default")]
    values: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "is_default")]
    fields: BTreeMap<String, String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// No search has a parameter, value or field of this name, by the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} {name}: use one {known}")]
pub struct UnknownSearchName {
    kind: &'static str,
    name: String,
    known: String,
}

/// The table of a target file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    parameters: BTreeMap<String, String>,
    #[serde(default)]
    values: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default)]
    fields: BTreeMap<String, String>,
    lists: Option<Lists>,
    #[serde(default)]
    ranges: BTreeMap<String, String>,
    first_page: Option<i64>,
    #[serde(default)]
    dates: Dates,
}

impl<'de> Deserialize<'de> for SearchNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = Table::deserialize(deserializer)?;
        let mut names = Self {
            lists: table.lists,
            first_page: table.first_page,
            dates: table.dates,
            ..Self::default()
        };
        for (theirs, separator) in &table.ranges {
            names = names.with_range(theirs, separator);
        }
        for (name, theirs) in &table.parameters {
            names = names.with_parameter(name, theirs).map_err(D::Error::custom)?;
        }
        for (name, values) in &table.values {
            for (value, theirs) in values {
                names = names.with_value(name, value, theirs).map_err(D::Error::custom)?;
            }
        }
        for (field, place) in &table.fields {
            names = names.with_field(field, place).map_err(D::Error::custom)?;
        }
        Ok(names)
    }
}

/// How several values of one parameter are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Lists {
    /// `countries=NO&countries=SE`.
    Repeated,
    /// `countries=NO,SE`.
    Commas,
}

/// How a date is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Dates {
    /// `2020-01-31`.
    #[default]
    Days,
    /// In seconds since the beginning of 1970, in UTC.
    Seconds,
    /// In milliseconds since then.
    Milliseconds,
}

impl Dates {
    /// A date as the deployment writes it; none if it is not a date.
    fn write(self, date: &str) -> Option<String> {
        let per_second = self.per_second()?;
        let start = date.parse::<NaiveDate>().ok()?.and_time(NaiveTime::MIN).and_utc();
        Some((start.timestamp() * per_second).to_string())
    }

    /// A date as the contract writes it. A number that is not a time is a year.
    pub(crate) fn read(self, value: &Value) -> Option<String> {
        match value {
            Value::String(text) => {
                let day = text.get(..10)?;
                day.parse::<NaiveDate>().ok().map(|_| day.to_owned())
            }
            Value::Number(number) => {
                let number = number.as_i64()?;
                match self.per_second() {
                    Some(per_second) => {
                        let time = DateTime::from_timestamp(number.div_euclid(per_second), 0)?;
                        Some(time.date_naive().to_string())
                    }
                    None => (1000..=9999).contains(&number).then(|| number.to_string()),
                }
            }
            _ => None,
        }
    }

    fn per_second(self) -> Option<i64> {
        match self {
            Self::Days => None,
            Self::Seconds => Some(1),
            Self::Milliseconds => Some(1000),
        }
    }
}

/// Whose field it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldOf {
    Organization,
    Product,
}

impl FieldOf {
    const ALL: [Self; 2] = [Self::Organization, Self::Product];

    fn word(self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::Product => "product",
        }
    }

    fn schema(self) -> &'static str {
        match self {
            Self::Organization => "/components/schemas/OrganizationSearchResult",
            Self::Product => "/components/schemas/ProductSearchResult",
        }
    }

    /// The fields that the contract has, those of the entries of its lists included.
    fn fields(self) -> impl Iterator<Item = Place<'static>> {
        let contract = Contract::bundled();
        let schema = contract.get(self.schema());
        let fields = schema.map(|schema| fields(contract, schema)).unwrap_or_default();
        fields.into_iter().flat_map(|field| {
            let entries = field.schema.get("items").map(|items| self::fields(contract, items));
            let entries = entries.into_iter().flatten().map({
                let list = field.path.clone();
                move |entry| Place {
                    field: entry,
                    of_entries: Some(list.clone()),
                }
            });
            let entries: Vec<_> = entries.collect();
            let itself = Place {
                field,
                of_entries: None,
            };
            [itself].into_iter().chain(entries)
        })
    }
}

/// A field of a record, or of the entries of one of its lists.
#[derive(Debug, Clone)]
pub(crate) struct Place<'a> {
    /// With its path from the record, or from an entry.
    pub(crate) field: Field<'a>,
    /// The path of the list whose entries have it.
    pub(crate) of_entries: Option<Vec<String>>,
}

impl Place<'_> {
    /// As a target names it.
    fn name(&self, of: FieldOf) -> String {
        let list = self.of_entries.iter().flatten();
        let names = list.chain(&self.field.path).map(String::as_str);
        [of.word()].into_iter().chain(names).collect::<Vec<_>>().join(".")
    }
}

impl SearchNames {
    /// Names a parameter, such as `countries`. If both bounds of a range have the same name, they are written as one
    /// parameter: `size=11-50`, `size=11-` or `size=-50`.
    ///
    /// # Errors
    /// When no search of the contract has it.
    pub fn with_parameter(mut self, name: &str, theirs: &str) -> Result<Self, UnknownSearchName> {
        parameter(name)?;
        self.parameters.insert(name.to_owned(), theirs.to_owned());
        Ok(self)
    }

    /// Names a value of a parameter: for `headquarters_only`, the deployment may have `locationType=any` instead of
    /// `false`. A stage of funding needs no name if it differs only in case and in marks between words, such as
    /// `Series A`.
    ///
    /// # Errors
    /// When no search of the contract has this parameter, or the parameter never has this value.
    pub fn with_value(mut self, name: &str, value: &str, theirs: &str) -> Result<Self, UnknownSearchName> {
        let known = values(parameter(name)?);
        if !known.is_empty() && !known.iter().any(|known| known == value) {
            return Err(UnknownSearchName {
                kind: "value",
                name: format!("{name}={value}"),
                known: format!("of {}", known.join(", ")),
            });
        }
        let values = self.values.entry(name.to_owned()).or_default();
        values.insert(value.to_owned(), theirs.to_owned());
        Ok(self)
    }

    /// Names the place of a field, as the members that lead to it: `organization.headquarters.country` in an
    /// organization, also in that of a product, or `product.categories` in a product. A place leads through lists too:
    /// `offices.iso` is that of each office. The score that results are ranked by may rise or fall, whatever its name:
    /// that of organizations is `organization.similarity.cosine_distance`, that of products
    /// `product.similarity.cosine_distance`.
    ///
    /// # Errors
    /// When no result of the contract has it.
    pub fn with_field(mut self, field: &str, place: &str) -> Result<Self, UnknownSearchName> {
        let known = FieldOf::ALL
            .into_iter()
            .flat_map(|of| of.fields().map(move |known| known.name(of)));
        let known: BTreeSet<_> = known.collect();
        if !known.contains(field) {
            // The organization of a product has the fields of an organization. Fields with the same last word come
            // first: they are probably meant.
            let of_products = |name: &String| name.starts_with("product.organization.");
            let last = |name: &str| name.rsplit('.').next().map(str::to_owned);
            let mut known: Vec<_> = known.into_iter().filter(|name| !of_products(name)).collect();
            known.sort_by_key(|name| last(name) != last(field));
            return Err(UnknownSearchName {
                kind: "field",
                name: field.to_owned(),
                known: format!("of {}", known.join(", ")),
            });
        }
        self.fields.insert(field.to_owned(), place.to_owned());
        Ok(self)
    }

    /// Separates several values of one parameter with commas, `countries=NO,SE`. The values are alternatives.
    #[must_use]
    pub fn with_commas(mut self) -> Self {
        self.lists = Some(Lists::Commas);
        self
    }

    /// Sends several values of one parameter as several parameters, `countries=NO&countries=SE`. The values are
    /// alternatives. Without this they are sent in the same way, but the deployment may honour only one of them.
    #[must_use]
    pub fn with_repeated_lists(mut self) -> Self {
        self.lists = Some(Lists::Repeated);
        self
    }

    /// Separates the bounds of a range that is one parameter with this text instead of `-`. `theirs` is the
    /// deployment's name for the parameter.
    #[must_use]
    pub fn with_range(mut self, theirs: &str, separator: &str) -> Self {
        self.ranges.insert(theirs.to_owned(), separator.to_owned());
        self
    }

    /// Sends the number of a page of `limit` results as the parameter named for `skip`. The first page has this number.
    #[must_use]
    pub fn with_first_page(mut self, number: i64) -> Self {
        self.first_page = Some(number);
        self
    }

    /// Writes dates in queries, and reads them in results, in seconds since the beginning of 1970, in UTC.
    #[must_use]
    pub fn with_dates_in_seconds(mut self) -> Self {
        self.dates = Dates::Seconds;
        self
    }

    /// Writes dates in queries, and reads them in results, in milliseconds since the beginning of 1970, in UTC.
    #[must_use]
    pub fn with_dates_in_milliseconds(mut self) -> Self {
        self.dates = Dates::Milliseconds;
        self
    }

    /// Writes the names as TOML, as a target file has them in its table `searches`; empty if there are none.
    pub fn to_toml(&self) -> String {
        // It has no value that TOML lacks.
        toml::to_string(self).unwrap_or_default()
    }

    pub(crate) fn has_parameter(&self, name: &str) -> bool {
        self.parameters.contains_key(name)
    }

    /// Whether it states how lists are written.
    pub(crate) fn has_lists(&self) -> bool {
        self.lists.is_some()
    }

    /// How the deployment writes dates.
    pub(crate) fn dates(&self) -> Dates {
        self.dates
    }

    /// The contract's word for a value of the parameters that take it.
    pub(crate) fn word_of(&self, theirs: &str) -> Option<&str> {
        let mut named = self.values.values().flatten();
        named.find_map(|(word, named)| (named == theirs).then_some(word.as_str()))
    }

    /// The fields of organizations or products that have another place, each with its path at the deployment.
    pub(crate) fn places(&self, of: FieldOf) -> impl Iterator<Item = (Place<'static>, Vec<String>)> {
        of.fields().filter_map(move |known| {
            let place = self.fields.get(&known.name(of))?;
            let path = place.split('.').map(str::to_owned).collect();
            Some((known, path))
        })
    }
}

/// Whether a value is one of those that the contract lists for a parameter.
pub(crate) fn takes(name: &str, value: &str) -> bool {
    parameter(name).is_ok_and(|parameter| values(parameter).iter().any(|known| known == value))
}

/// A text as it is written in a query.
pub(crate) fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// A parameter of the contract's searches.
fn parameter(name: &str) -> Result<&'static Parameter, UnknownSearchName> {
    parameters().find(|known| known.name == name).ok_or_else(|| {
        let known: BTreeSet<_> = parameters().map(|known| known.name.as_str()).collect();
        UnknownSearchName {
            kind: "parameter",
            name: name.to_owned(),
            known: format!("of {}", known.into_iter().collect::<Vec<_>>().join(", ")),
        }
    })
}

/// The parameters of all searches.
fn parameters() -> impl Iterator<Item = &'static Parameter> {
    let searches = Contract::bundled()
        .operations()
        .iter()
        .filter(|operation| operation.is_search());
    let all = searches.flat_map(|search| &search.parameters);
    all.filter(|parameter| parameter.location == "query")
}

/// The values that a parameter may have, if the contract lists them.
fn values(parameter: &Parameter) -> Vec<String> {
    let schema = Contract::bundled().resolve(&parameter.schema);
    if schema["type"] == "boolean" {
        return ["true", "false"].map(str::to_owned).into();
    }
    let of_list = Contract::bundled().resolve(&schema["items"]);
    let listed = schema["enum"].as_array().or_else(|| of_list["enum"].as_array());
    let listed = listed.into_iter().flatten();
    listed.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_contract_does_not_have_has_no_other_name() {
        let error = |text| toml::from_str::<SearchNames>(text).unwrap_err().message().to_owned();
        let parameter = error("parameters = { country = 'c' }");
        assert!(
            parameter.starts_with("unknown parameter country: use one of business_types"),
            "{parameter}"
        );
        let field = error("fields = { 'organization.country' = 'c' }");
        let expected = "unknown field organization.country: use one of organization.headquarters.country, ";
        assert!(field.starts_with(expected), "{field}");
        let value = error("values.headquarters_only = { yes = 'hq' }");
        let expected = "unknown value headquarters_only=yes: use one of true, false";
        assert_eq!(value, expected);
        assert!(error("values.funding_stages = { a = 'A' }").contains("use one of pre_seed, seed, "));
        assert!(error("filters = {}").contains("unknown field"));
    }

    #[test]
    fn fields_of_organizations_and_products_have_places_of_their_own() {
        let names = "[fields]\n'organization.headquarters.country' = 'hq.iso'\n'product.categories' = 'tags'\n\
                     'organization.locations.country' = 'offices.iso'";
        let names: SearchNames = toml::from_str(names).unwrap();
        let places = |of| {
            let places = names.places(of);
            let places = places.map(|(known, place)| {
                let list = known.of_entries.map(|list| list.join("."));
                (list, known.field.path.join("."), place.join("."))
            });
            places.collect::<Vec<_>>()
        };
        let text = str::to_owned;
        let of_organizations = [
            (None, text("headquarters.country"), text("hq.iso")),
            (Some(text("locations")), text("country"), text("offices.iso")),
        ];
        assert_eq!(places(FieldOf::Organization), of_organizations);
        assert_eq!(places(FieldOf::Product), [(None, text("categories"), text("tags"))]);
    }

    #[test]
    fn dates_are_read_in_any_form() {
        let day = Some("2020-02-29".to_owned());
        for text in ["2020-02-29", "2020-02-29T12:00:00Z", "2020-02-29 12:00"] {
            assert_eq!(Dates::Days.read(&json!(text)), day);
        }
        assert_eq!(Dates::Seconds.read(&json!(1_582_977_600)), day);
        assert_eq!(Dates::Milliseconds.read(&json!(1_582_977_600_500_i64)), day);
        assert_eq!(Dates::Days.read(&json!(1999)), Some("1999".to_owned()));
        for other in [json!("1999"), json!("soon"), json!(null), json!(1_582_977_600)] {
            assert_eq!(Dates::Days.read(&other), None);
        }
        // Before 1970.
        assert_eq!(Dates::Seconds.read(&json!(-1)), Some("1969-12-31".to_owned()));
    }
}
