//! The variants of an enum as an array, for tables that show each of them.

use strum::VariantArray;

/// Returns all variants, in the order of their declaration. `N` is the enum's `strum::EnumCount::COUNT`.
pub(crate) const fn variants<T: VariantArray + Copy, const N: usize>() -> [T; N] {
    match T::VARIANTS.first_chunk() {
        Some(variants) => *variants,
        None => panic!("N is larger than the number of variants"),
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use crate::finding::Steadiness;
    use crate::report::{Format, KnownFailureState};
    use crate::target::{PipelineRole, Role};
    use crate::verdict::{Level, Verdict};

    fn json(value: impl Serialize) -> String {
        let value = serde_json::to_value(value).unwrap();
        value.as_str().unwrap().to_owned()
    }

    #[test]
    fn names_are_those_of_the_json_report() {
        for verdict in Verdict::ALL {
            assert_eq!(verdict.as_str(), json(verdict));
        }
        for role in Role::ALL {
            assert_eq!(role.as_str(), json(role));
        }
        for role in PipelineRole::ALL {
            assert_eq!(role.as_str(), json(role));
        }
        for level in [Level::Contract, Level::Stated] {
            assert_eq!(level.as_str(), json(level));
        }
        let steadiness = [Steadiness::Steady, Steadiness::Flaky, Steadiness::Unconfirmed];
        for steadiness in steadiness {
            assert_eq!(steadiness.as_str(), json(steadiness));
        }
        for state in KnownFailureState::ALL {
            assert_eq!(state.as_str(), json(state).replace('_', " "));
        }
    }

    #[test]
    fn format_is_parsed_from_its_name() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let unknown = "JSON".parse::<Format>().unwrap_err().to_string();
        assert_eq!(
            unknown,
            "unknown report format; use one of json, junit, markdown, sarif, html"
        );
    }
}
