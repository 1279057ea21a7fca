//! Where a body differs from its schema, and the basis of that part of the schema.

use std::collections::BTreeSet;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};

use crate::resting::{decisions_of_keyword, decisions_of_presence};
use platform_contract::Contract;

/// A place in a body without positions and question ids, so that the same defect in every item counts once.
pub(super) fn general(place: &str) -> String {
    if place.is_empty() {
        return "its root".to_owned();
    }
    let general = |segment: &str| match segment {
        number if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => "*".to_owned(),
        column if column.contains('.') => "*".to_owned(),
        name => name.to_owned(),
    };
    place.split('/').map(general).collect::<Vec<_>>().join("/")
}

/// The decisions behind a mismatch with a schema. If the schema also allows null, the mismatch is with the schema
/// beside null, and so is its basis.
pub(super) fn decisions_of_error(contract: &Contract, schema: &str, error: &ValidationError<'_>) -> BTreeSet<String> {
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
        [] => match error.kind() {
            ValidationErrorKind::Required { property } => {
                decisions_of_presence(contract, schema, &path, property.as_str().unwrap_or_default())
            }
            _ => decisions_of_keyword(contract, schema, &path),
        },
        _ => decisions,
    }
}

/// The mismatch with the schema beside null, if the schema also allows null.
pub(super) fn beside_null(kind: &ValidationErrorKind) -> &ValidationErrorKind {
    let ValidationErrorKind::AnyOf { context } = kind else {
        return kind;
    };
    match &context[..] {
        [null, inner] if is_null_alone(null) => inner.first().map_or(kind, ValidationError::kind),
        _ => kind,
    }
}

/// Whether these are the errors of the null schema.
fn is_null_alone(errors: &[ValidationError<'_>]) -> bool {
    let is_null = |error: &ValidationError<'_>| match error.kind() {
        ValidationErrorKind::Type {
            kind: TypeKind::Single(kind),
        } => *kind == JsonType::Null,
        _ => false,
    };
    matches!(errors, [error] if is_null(error))
}
