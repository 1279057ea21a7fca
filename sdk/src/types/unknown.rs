//! Reports fields and values that this version of the SDK does not know.
//!
//! Decoding keeps unknown fields and values without inspecting them. A decoded response is scanned only if
//! the app registers a hook, so other apps pay nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;

use crate::text::one_line;
use crate::types::ids::{DocumentId, OrganizationId, PersonId, PipelineId, PipelineItemId, ProductId};
use crate::types::result_value::ResultValue;
use crate::types::unknown_fields::UnknownFields;

/// Hook called with each unknown field and value.
pub(crate) type Hook = Arc<dyn Fn(&Unknown) + Send + Sync>;

/// A field or value of a response that this version of the SDK does not know.
///
/// Displays as one line for a log. The content of a field is omitted, because it may be personal data.
///
/// ```
/// use platform_sdk::{ClientBuilder, Unknown, UnknownKind};
///
/// fn watched(builder: ClientBuilder) -> ClientBuilder {
///     builder.on_unknown(|unknown: &Unknown| match unknown.kind {
///         UnknownKind::Field => eprintln!("{} has grown a field: {unknown}", unknown.schema),
///         _ => eprintln!("{} has grown a value: {unknown}", unknown.schema),
///     })
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Unknown {
    /// The `operationId` of the call.
    pub operation: &'static str,
    /// Location in the JSON of the response: `items[3].values["question.201"].status`.
    pub path: String,
    /// Whether it is a field or a value.
    pub kind: UnknownKind,
    /// The schema of the contract that lacks it: `PipelineItem` for a field, `ExecutionStatus` for a value.
    pub schema: &'static str,
    /// The content of the field, or the value itself.
    pub value: Value,
}

/// Kind of an [`Unknown`].
///
/// ```
/// use platform_sdk::UnknownKind;
///
/// assert_ne!(UnknownKind::Field, UnknownKind::Value);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnknownKind {
    /// A field that is not in the schema.
    Field,
    /// A value that is not in the schema's list, or that has none of the schema's types.
    Value,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            operation,
            path,
            schema,
            ..
        } = self;
        match self.kind {
            UnknownKind::Field => write!(f, "{operation}: {path} is not a known field of {schema}"),
            UnknownKind::Value => match self.value.as_str() {
                Some(text) => {
                    let text = one_line(text, 100).unwrap_or_default();
                    write!(
                        f,
                        "{operation}: {path} is `{text}`, which is not a known value of {schema}"
                    )
                }
                None => write!(f, "{operation}: {path} has a type that is not known for {schema}"),
            },
        }
    }
}

/// Reports every unknown field and value in `value`, a response to `operation`.
pub(crate) fn report(hook: &Hook, operation: &'static str, value: &impl Scan) {
    value.scan(&At {
        call: &Call { hook, operation },
        place: Place::Root,
    });
}

/// A value that can be scanned for unknown fields and values. Generated for response types.
pub(crate) trait Scan {
    fn scan(&self, at: &At<'_>);
}

/// A location in a response. It lives on the stack and is formatted only when something unknown is found.
pub(crate) struct At<'a> {
    call: &'a Call<'a>,
    place: Place<'a>,
}

struct Call<'a> {
    hook: &'a Hook,
    operation: &'static str,
}

#[derive(Clone, Copy)]
enum Place<'a> {
    Root,
    Key(&'a Place<'a>, &'a str),
    Index(&'a Place<'a>, usize),
}

impl At<'_> {
    /// Scans a field.
    pub(crate) fn field(&self, name: &'static str, value: &impl Scan) {
        self.key(name, value);
    }

    /// Reports the fields that are not in `schema`.
    pub(crate) fn unknown_fields(&self, schema: &'static str, fields: &UnknownFields) {
        for (name, value) in fields.iter() {
            let place = Place::Key(&self.place, name);
            self.report(place, UnknownKind::Field, schema, value.clone());
        }
    }

    /// Reports that the value at this location is not a value of `schema`.
    pub(crate) fn unknown_value(&self, schema: &'static str, value: Value) {
        self.report(self.place, UnknownKind::Value, schema, value);
    }

    fn key(&self, key: &str, value: &impl Scan) {
        value.scan(&At {
            call: self.call,
            place: Place::Key(&self.place, key),
        });
    }

    fn index(&self, index: usize, value: &impl Scan) {
        value.scan(&At {
            call: self.call,
            place: Place::Index(&self.place, index),
        });
    }

    fn report(&self, place: Place<'_>, kind: UnknownKind, schema: &'static str, value: Value) {
        (self.call.hook)(&Unknown {
            operation: self.call.operation,
            path: place.to_string(),
            kind,
            schema,
            value,
        });
    }
}

/// Formats the path as in JavaScript.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Root => Ok(()),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Self::Key(Self::Root, name) if is_plain(name) => f.write_str(name),
            Self::Key(parent, name) if is_plain(name) => write!(f, "{parent}.{name}"),
            Self::Key(parent, key) => write!(f, "{parent}[{}]", Value::from(key)),
        }
    }
}

/// Returns whether a key can follow a dot.
fn is_plain(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.chars().all(|rest| rest.is_ascii_alphanumeric() || rest == '_')
}

impl<T: Scan> Scan for Option<T> {
    fn scan(&self, at: &At<'_>) {
        if let Some(value) = self {
            value.scan(at);
        }
    }
}

impl<T: Scan> Scan for Vec<T> {
    fn scan(&self, at: &At<'_>) {
        for (index, value) in self.iter().enumerate() {
            at.index(index, value);
        }
    }
}

impl<T: Scan> Scan for BTreeMap<String, T> {
    fn scan(&self, at: &At<'_>) {
        for (key, value) in self {
            at.key(key, value);
        }
    }
}

impl Scan for ResultValue {
    fn scan(&self, at: &At<'_>) {
        if let Self::Other(value) = self {
            at.unknown_value("ResultValue", value.clone());
        }
    }
}

macro_rules! nothing_to_find {
    ($($leaf:ty),+ $(,)?) => {
        $(impl Scan for $leaf {
            fn scan(&self, _: &At<'_>) {}
        })+
    };
}

nothing_to_find! {
    (), bool, i32, i64, f64, String, DateTime<Utc>, NaiveDate,
    DocumentId, OrganizationId, PersonId, PipelineId, PipelineItemId, ProductId,
}
