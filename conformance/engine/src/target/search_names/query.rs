//! Writes the query of a search as a deployment reads it.

use super::{Lists, SearchNames, encoded, parameters};

/// One parameter of a query.
enum Written {
    Alone(String),
    /// Both bounds of a range, each as soon as it is known.
    Range {
        name: String,
        bounds: [Option<String>; 2],
    },
}

/// A page of a deployment that counts pages.
#[derive(Debug, Clone, Copy)]
struct Page {
    number: i64,
    length: i64,
}

impl SearchNames {
    /// Writes a query, given as pairs of `name=value`, as the deployment reads it.
    pub(crate) fn rename(&self, query: &mut Vec<String>) {
        let mut written: Vec<Written> = Vec::new();
        let page = self.page(query);
        for pair in query.drain(..) {
            let Some((name, value)) = pair.split_once('=') else {
                written.push(Written::Alone(pair));
                continue;
            };
            let (theirs, value) = match (name, page) {
                ("skip", Some(page)) => (self.theirs(name), page.number.to_string()),
                ("limit", Some(page)) => (self.theirs(name), page.length.to_string()),
                // Without a length, no page begins there: the number of another would lead elsewhere.
                ("skip", None) if self.first_page.is_some() => (name.to_owned(), value.to_owned()),
                _ => (self.theirs(name), self.value(name, value)),
            };
            if let Some(side) = self.side(name) {
                add_bound(&mut written, &theirs, side, value);
            } else if self.lists == Some(Lists::Commas) && is_list(name) {
                add_to_list(&mut written, &theirs, &value);
            } else {
                written.push(Written::Alone(format!("{theirs}={value}")));
            }
        }
        query.extend(written.into_iter().map(|one| match one {
            Written::Alone(pair) => pair,
            Written::Range { name, bounds } => {
                let [from, to] = bounds.map(Option::unwrap_or_default);
                format!("{name}={from}{}{to}", self.separator(&name))
            }
        }));
    }

    /// The deployment's name for a parameter, as it is written in a query.
    fn theirs(&self, name: &str) -> String {
        let named = self.parameters.get(name);
        named.map_or_else(|| name.to_owned(), |theirs| encoded(theirs))
    }

    /// What stands between the bounds of a range, as it is written in a query.
    fn separator(&self, theirs: &str) -> String {
        let named = self.ranges.iter().find(|(name, _)| encoded(name) == theirs);
        encoded(named.map_or("-", |(_, separator)| separator.as_str()))
    }

    /// The page that begins at `skip`, if the deployment counts pages: a shorter one if none of `limit` results begins
    /// there, as behind a last page that is not full.
    fn page(&self, query: &[String]) -> Option<Page> {
        let number = |name: &str| {
            let mut values = query
                .iter()
                .filter_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            values.next()?.parse::<i64>().ok()
        };
        let (first, skip, limit) = (self.first_page?, number("skip")?, number("limit")?);
        if limit <= 0 || skip < 0 {
            return None;
        }
        let length = greatest_common_divisor(skip, limit);
        Some(Page {
            number: first.saturating_add(skip / length),
            length,
        })
    }

    /// A value as the deployment takes it.
    fn value(&self, name: &str, value: &str) -> String {
        let named = self.values.get(name).and_then(|values| values.get(value));
        let date = || self.dates.write(value).filter(|_| is_date(name));
        named
            .map(|named| encoded(named))
            .or_else(date)
            .unwrap_or_else(|| value.to_owned())
    }

    /// Which bound of a range a parameter is, if the deployment has the same name for both.
    fn side(&self, name: &str) -> Option<usize> {
        let sides = [["_min", "_max"], ["_from", "_to"]];
        let theirs = self.parameters.get(name)?;
        sides.iter().find_map(|sides| {
            let side = sides.iter().position(|side| name.ends_with(side))?;
            let other = format!("{}{}", name.strip_suffix(sides[side])?, sides[1 - side]);
            (self.parameters.get(&other)? == theirs).then_some(side)
        })
    }
}

fn greatest_common_divisor(one: i64, other: i64) -> i64 {
    if other == 0 {
        one
    } else {
        greatest_common_divisor(other, one % other)
    }
}

/// Puts a bound beside the other one of its range.
fn add_bound(written: &mut Vec<Written>, theirs: &str, side: usize, value: String) {
    let lacking = written.iter_mut().find_map(|one| match one {
        Written::Range { name, bounds } if name == theirs && bounds[side].is_none() => Some(&mut bounds[side]),
        _ => None,
    });
    if let Some(bound) = lacking {
        *bound = Some(value);
    } else {
        let mut bounds = [None, None];
        bounds[side] = Some(value);
        written.push(Written::Range {
            name: theirs.to_owned(),
            bounds,
        });
    }
}

/// Puts a value behind the others of its list.
fn add_to_list(written: &mut Vec<Written>, theirs: &str, value: &str) {
    let earlier = written.iter_mut().find_map(|one| match one {
        Written::Alone(pair) if pair.split_once('=').is_some_and(|(name, _)| name == theirs) => Some(pair),
        _ => None,
    });
    match earlier {
        Some(list) => list.extend([",", value]),
        None => written.push(Written::Alone(format!("{theirs}={value}"))),
    }
}

/// Whether a parameter takes several values.
fn is_list(name: &str) -> bool {
    parameters().any(|known| known.name == name && known.schema["type"] == "array")
}

/// Whether a parameter takes a date.
fn is_date(name: &str) -> bool {
    parameters().any(|known| known.name == name && known.schema["format"] == "date")
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
    fn bounds_with_the_same_name_are_one_parameter() {
        let names = "parameters = { employee_count_min = 'size', employee_count_max = 'size', funded_from = 'since' }";
        let query = "employee_count_max=50&funded_from=2020-01-31&employee_count_min=11";
        assert_eq!(renamed(names, query), "size=11-50&since=2020-01-31");
        assert_eq!(renamed(names, "employee_count_min=11"), "size=11-");
        assert_eq!(renamed(names, "employee_count_max=50"), "size=-50");
        let twice = "employee_count_min=1&employee_count_min=2&employee_count_max=3";
        assert_eq!(renamed(names, twice), "size=1-3&size=2-");
        let names = "ranges = { funded = ' to ' }\nparameters = { funded_from = 'funded', funded_to = 'funded' }";
        let query = "funded_to=2021-01-31&funded_from=2020-01-31";
        assert_eq!(renamed(names, query), "funded=2020-01-31+to+2021-01-31");
    }

    #[test]
    fn pages_have_numbers_where_the_deployment_counts_them() {
        let names = "first_page = 1\nparameters = { skip = 'page', limit = 'size' }";
        assert_eq!(renamed(names, "skip=0&limit=20"), "page=1&size=20");
        assert_eq!(renamed(names, "limit=20&skip=40"), "size=20&page=3");
        // Only a shorter page begins there.
        assert_eq!(renamed(names, "skip=5&limit=20"), "page=2&size=5");
        assert_eq!(renamed(names, "limit=50&skip=179"), "size=1&page=180");
        // The lengths of pages are not known, or none is as long.
        for query in ["skip=40", "skip=40&limit=0", "skip=-1&limit=20"] {
            assert_eq!(renamed(names, query), query.replace("limit", "size"));
        }
        assert_eq!(renamed("first_page = 0", "skip=40&limit=20"), "skip=2&limit=20");
    }

    #[test]
    fn values_are_written_as_the_deployment_takes_them() {
        let names = "parameters = { headquarters_only = 'where' }\n\
                     values.headquarters_only = { true = 'head office', false = 'any' }\n\
                     values.funding_stages = { series_a = 'A' }";
        let query = "headquarters_only=true&funding_stages=series_a&funding_stages=seed&description=true";
        let expected = "where=head+office&funding_stages=A&funding_stages=seed&description=true";
        assert_eq!(renamed(names, query), expected);
    }

    #[test]
    fn dates_are_written_as_times() {
        let query = "funded_from=2020-02-29&funded_to=9999-99-99&description=2020-02-29&founded_year_min=2020";
        let unchanged = "funded_to=9999-99-99&description=2020-02-29&founded_year_min=2020";
        assert_eq!(renamed("dates = 'days'", query), query);
        assert_eq!(
            renamed("dates = 'seconds'", query),
            format!("funded_from=1582934400&{unchanged}")
        );
        assert_eq!(
            renamed("dates = 'milliseconds'", query),
            format!("funded_from=1582934400000&{unchanged}")
        );
    }
}
