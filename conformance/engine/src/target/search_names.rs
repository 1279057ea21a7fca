//! The names that a deployment has for what the source leaves without one: the parameters of searches, and the fields
//! of their results.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use url::form_urlencoded;

use platform_contract::{Contract, fields};

/// What a deployment calls the parameters of searches and the fields of their results, by the names of the contract.
/// The source leaves both open, so these names are used at the level `stated`; at the level `contract`, other names are
/// departures.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use platform_conformance::{SearchNames, Target};
///
/// let names = SearchNames::default()
///     .with_parameter("countries", "countryCodes")?
///     .with_field("organization.headquarters.country", "location.hq.iso")?;
/// let target = Target::new("https://staging.example")?.with_search_names(names);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchNames {
    /// As they are written in a query.
    parameters: BTreeMap<String, String>,
    fields: BTreeMap<String, String>,
    lists: Lists,
}

/// No search has a parameter or a field of this name, by the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no search of the contract has the {kind} {name}: name one {known}")]
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
    fields: BTreeMap<String, String>,
    #[serde(default)]
    lists: Lists,
}

impl<'de> Deserialize<'de> for SearchNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = Table::deserialize(deserializer)?;
        let names = Self {
            lists: table.lists,
            ..Self::default()
        };
        let mut parameters = table.parameters.iter();
        let names = parameters.try_fold(names, |names, (name, theirs)| names.with_parameter(name, theirs));
        let mut fields = table.fields.iter();
        let names = names.and_then(|names| fields.try_fold(names, |names, (field, at)| names.with_field(field, at)));
        names.map_err(D::Error::custom)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Lists {
    /// `countries=NO&countries=SE`.
    #[default]
    Repeated,
    /// `countries=NO,SE`.
    Commas,
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
            Self::Organization => "/components/schemas/Organization",
            Self::Product => "/components/schemas/Product",
        }
    }

    /// The fields that the contract has, as a target names them.
    fn fields(self) -> impl Iterator<Item = String> {
        let contract = Contract::bundled();
        let schema = contract.get(self.schema());
        let fields = schema.map(|schema| fields(contract, schema)).unwrap_or_default();
        fields
            .into_iter()
            .map(move |path| format!("{}.{}", self.word(), path.join(".")))
    }
}

impl SearchNames {
    /// Names a parameter, such as `countries`.
    ///
    /// # Errors
    /// When no search of the contract has it.
    pub fn with_parameter(mut self, name: &str, theirs: &str) -> Result<Self, UnknownSearchName> {
        let known: BTreeSet<_> = parameters().map(|(name, _)| name).collect();
        if !known.contains(name) {
            let known = format!("of {}", known.into_iter().collect::<Vec<_>>().join(", "));
            return Err(UnknownSearchName {
                kind: "parameter",
                name: name.to_owned(),
                known,
            });
        }
        let theirs = form_urlencoded::byte_serialize(theirs.as_bytes()).collect();
        self.parameters.insert(name.to_owned(), theirs);
        Ok(self)
    }

    /// Names the place of a field, as the members that lead to it: `organization.headquarters.country` in an
    /// organization, also in that of a product, or `product.categories` in a product.
    ///
    /// # Errors
    /// When no result of the contract has it.
    pub fn with_field(mut self, field: &str, place: &str) -> Result<Self, UnknownSearchName> {
        let is_known = FieldOf::ALL
            .into_iter()
            .any(|of| of.fields().any(|known| known == field));
        if !is_known {
            return Err(UnknownSearchName {
                kind: "field",
                name: field.to_owned(),
                known: "such as organization.headquarters.country or product.categories".to_owned(),
            });
        }
        self.fields.insert(field.to_owned(), place.to_owned());
        Ok(self)
    }

    /// Several values of one parameter are separated by commas, `countries=NO,SE`, instead of sent as several
    /// parameters.
    #[must_use]
    pub fn with_commas(mut self) -> Self {
        self.lists = Lists::Commas;
        self
    }

    pub(crate) fn has_parameter(&self, name: &str) -> bool {
        self.parameters.contains_key(name)
    }

    /// Writes a query as the deployment reads it.
    pub(crate) fn rename(&self, query: &mut Vec<String>) {
        let mut written: Vec<String> = Vec::new();
        for pair in query.drain(..) {
            let Some((name, value)) = pair.split_once('=') else {
                written.push(pair);
                continue;
            };
            let theirs = self.parameters.get(name).map_or(name, String::as_str);
            let joins = self.lists == Lists::Commas && is_list(name);
            let mut earlier = written.iter_mut().filter(|_| joins);
            match earlier.find(|pair| pair.split_once('=').is_some_and(|(other, _)| other == theirs)) {
                Some(list) => list.extend([",", value]),
                None => written.push(format!("{theirs}={value}")),
            }
        }
        *query = written;
    }

    /// The fields of organizations or products that have another place: each with its path in the contract, and the
    /// path at the deployment.
    pub(crate) fn places(&self, of: FieldOf) -> impl Iterator<Item = (Vec<String>, Vec<String>)> {
        let fields = self.fields.iter();
        fields.filter_map(move |(field, place)| {
            Some((path(field.strip_prefix(of.word())?.strip_prefix('.')?), path(place)))
        })
    }
}

fn path(text: &str) -> Vec<String> {
    text.split('.').map(str::to_owned).collect()
}

/// Whether a parameter takes several values.
fn is_list(name: &str) -> bool {
    parameters().any(|(other, is_list)| other == name && is_list)
}

/// The parameters of all searches, and whether they take several values.
fn parameters() -> impl Iterator<Item = (&'static str, bool)> {
    let searches = Contract::bundled()
        .operations()
        .iter()
        .filter(|operation| operation.is_search());
    let all = searches.flat_map(|search| &search.parameters);
    let in_query = all.filter(|parameter| parameter.location == "query");
    in_query.map(|parameter| (parameter.name.as_str(), parameter.schema["type"] == "array"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(names: &str, query: &str) -> String {
        let names: SearchNames = toml::from_str(names).unwrap();
        let mut query = query.split('&').map(str::to_owned).collect();
        names.rename(&mut query);
        query.join("&")
    }

    #[test]
    fn parameters_have_the_names_of_the_deployment() {
        let names = "parameters = { countries = 'filter[country]', limit = 'size' }";
        let query = "description=countries&countries=NO&regions=NO-46&countries=SE&limit=3";
        let expected = "description=countries&filter%5Bcountry%5D=NO&regions=NO-46&filter%5Bcountry%5D=SE&size=3";
        assert_eq!(renamed(names, query), expected);
    }

    #[test]
    fn values_of_a_list_are_joined_where_the_deployment_takes_commas() {
        let names = "lists = 'commas'\nparameters = { countries = 'country' }";
        let query = "countries=NO&limit=3&countries=SE&limit=4";
        assert_eq!(renamed(names, query), "country=NO,SE&limit=3&limit=4");
    }

    #[test]
    fn what_the_contract_does_not_have_has_no_other_name() {
        let error = |text| toml::from_str::<SearchNames>(text).unwrap_err().message().to_owned();
        let parameter = error("parameters = { country = 'c' }");
        assert!(
            parameter.starts_with("no search of the contract has the parameter country: name one of business_types, "),
            "{parameter}"
        );
        let field = error("fields = { 'organization.country' = 'c' }");
        let expected = "no search of the contract has the field organization.country: name one such as ";
        assert!(field.starts_with(expected), "{field}");
        assert!(error("filters = {}").contains("unknown field"));
    }

    #[test]
    fn fields_of_organizations_and_products_have_places_of_their_own() {
        let names = "[fields]\n'organization.headquarters.country' = 'hq.iso'\n'product.categories' = 'tags'";
        let names: SearchNames = toml::from_str(names).unwrap();
        let places = |of| {
            let places = names
                .places(of)
                .map(|(field, place)| [field.join("."), place.join(".")]);
            places.collect::<Vec<_>>()
        };
        assert_eq!(places(FieldOf::Organization), [["headquarters.country", "hq.iso"]]);
        assert_eq!(places(FieldOf::Product), [["categories", "tags"]]);
    }
}
