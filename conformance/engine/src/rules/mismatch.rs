//! Where a body differs from its schema, and what that part of the schema rests on.

use std::collections::BTreeSet;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};

use crate::resting::decisions_of_keyword;
use platform_contract::Contract;

/// A place in a body with positions and question ids left out, so that a fault of every item is one.
pub(super) fn general(place: &str) -> String {
    if place.is_empty() {
        return "its root".to_owned();
    }
    let general = |segment: &str| match segment {
        number if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            "*".to_owned()
        }
        column if column.contains('.') => "*".to_owned(),
        name => name.to_owned(),
    };
    place.split('/').map(general).collect::<Vec<_>>().join("/")
}

/// The decisions behind a mismatch with a schema. A value that null could stand for differs from the schema beside null:
/// what it rests on is what that schema lacks.
pub(super) fn decisions_of_error(
    contract: &Contract,
    schema: &str,
    error: &ValidationError<'_>,
) -> BTreeSet<String> {
    let path = error.schema_path().to_string();
    let inner = match error.kind() {
        ValidationErrorKind::AnyOf { context } => match &context[..] {
            [null, inner] if is_null_alone(null) => &inner[..],
            _ => &[],
        },
        _ => &[],
    };
    let mut decisions = BTreeSet::new();
    for error in inner {
        let of_error = decisions_of_error(contract, schema, error);
        if of_error.is_empty() {
            return of_error;
        }
        decisions.extend(of_error);
    }
    match inner {
        [] => decisions_of_keyword(contract, schema, &path),
        _ => decisions,
    }
}

/// Whether these are the errors of the schema of null.
fn is_null_alone(errors: &[ValidationError<'_>]) -> bool {
    let is_null = |error: &ValidationError<'_>| match error.kind() {
        ValidationErrorKind::Type {
            kind: TypeKind::Single(kind),
        } => *kind == JsonType::Null,
        _ => false,
    };
    matches!(errors, [error] if is_null(error))
}
