//! Parameters, each declared once: the declaration reads the request and describes itself in the served document, so
//! the bound that is checked is the bound that is documented.
//!
//! Reading never stops at the first error. A [`Reader`] collects all errors, in time that depends only on the size of
//! the request, and a handler gets its values only if there are none.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::LazyLock;

use axum::http::Uri;
use chrono::NaiveDate;
use regex::Regex;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{Ref, RefOr, Required};

use super::problem::{FAULTS_MAX, FaultKind, FieldError, LocationSegment, Problem};

/// Maximum number of characters in a search text.
pub(super) const SEARCH_TEXT_MAX: usize = 2000;
/// Maximum number of values in a list.
const LIST_MAX: usize = 50;

/// The path and the query of a request, and every error that was found in them.
#[derive(Debug)]
pub(super) struct Reader {
    query: HashMap<String, Given>,
    faults: Vec<(Place, FieldError)>,
}

/// The values of a parameter in the query.
#[derive(Debug)]
struct Given {
    /// The position of the parameter's first value.
    first: usize,
    /// The values that have not been read yet, each with its position in the query.
    values: Vec<(usize, String)>,
}

/// A position in a request, in the order of the request. A missing part comes after all present ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Path,
    Query(usize),
    Body(usize),
}

impl Reader {
    /// Starts to read the query of a request.
    pub(super) fn new(uri: &Uri) -> Self {
        let mut reader = Self {
            query: HashMap::new(),
            faults: Vec::new(),
        };
        let pairs = uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty());
        for (position, pair) in pairs.enumerate() {
            let (raw_name, raw_value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(raw_name);
            // Such a column has another form, which has its own status.
            let may_be_any = name.as_deref() == Some("sort_by");
            let value = decode(raw_value).or_else(|| may_be_any.then(|| raw_value.to_owned()));
            match (name, value) {
                (Some(name), Some(value)) => {
                    let given = reader.query.entry(name).or_insert(Given {
                        first: position,
                        values: Vec::new(),
                    });
                    given.values.push((position, value));
                }
                (name, _) => {
                    let name = name.as_deref().unwrap_or(raw_name);
                    let msg = "is not percent-encoded UTF-8";
                    reader.fault_at(Place::Query(position), &["query", name], msg, FaultKind::NotUtf8);
                }
            }
        }
        reader
    }

    /// Returns the values of the request if it has no error, and every part of its query was read.
    pub(super) fn finish<T>(mut self, values: impl FnOnce() -> Option<T>) -> Result<T, Problem> {
        let query = std::mem::take(&mut self.query);
        let mut unread: Vec<_> = query
            .into_iter()
            .filter(|(_, given)| !given.values.is_empty())
            .map(|(name, given)| (given.first, name))
            .collect();
        unread.sort_unstable();
        let count = self.faults.len() + unread.len();
        // Errors beyond the maximum listed need not be written.
        for (position, name) in unread.into_iter().take(FAULTS_MAX) {
            let msg = "is not a parameter of this operation";
            self.fault_at(Place::Query(position), &["query", &name], msg, FaultKind::Unknown);
        }
        if count > 0 {
            self.faults.sort_by_key(|(place, _)| *place);
            let first = self.faults.into_iter().take(FAULTS_MAX);
            return Err(Problem::invalid(first.map(|(_, fault)| fault).collect(), count));
        }
        // A value missing without an error would be a bug in this file.
        values().ok_or_else(Problem::internal)
    }

    /// Adds an error of a parameter, at the parameter's position.
    pub(super) fn fault(&mut self, loc: &[&str], msg: impl Into<String>, kind: FaultKind) {
        let place = match loc {
            ["query", name] => Place::Query(self.query.get(*name).map_or(usize::MAX, |it| it.first)),
            ["path", ..] => Place::Path,
            _ => Place::Body(usize::MAX),
        };
        self.fault_at(place, loc, msg, kind);
    }

    /// Adds an error at a position.
    pub(super) fn fault_at(&mut self, place: Place, loc: &[&str], msg: impl Into<String>, kind: FaultKind) {
        self.faults.push((place, field_error(loc, msg, kind)));
    }

    /// The values of a parameter, each with its position in the query.
    fn take_all(&mut self, name: &str) -> Vec<(usize, String)> {
        let given = self.query.get_mut(name);
        given.map_or_else(Vec::new, |given| std::mem::take(&mut given.values))
    }

    /// The single value of a parameter, if it is present.
    pub(super) fn take_one(&mut self, name: &str) -> Option<String> {
        let mut values = self.take_all(name);
        if values.len() > 1 {
            self.fault(
                &["query", name],
                "takes one value; it was given more than once",
                FaultKind::Repeated,
            );
            return None;
        }
        values.pop().map(|(_, value)| value)
    }

    fn read_one<T>(&mut self, name: &str, read: impl FnOnce(&str) -> Result<T, Fault>) -> Option<T> {
        let text = self.take_one(name)?;
        match read(&text) {
            Ok(value) => Some(value),
            Err(fault) => {
                self.fault(&["query", name], fault.msg, fault.kind);
                None
            }
        }
    }

    /// Reports a minimum that is above its maximum.
    pub(super) fn ordered<T: PartialOrd>(&mut self, low: (&str, Option<T>), high: (&str, Option<T>)) {
        if let (Some(least), Some(greatest)) = (low.1, high.1)
            && least > greatest
        {
            let msg = format!("must not be below {}", low.0);
            self.fault(&["query", high.0], msg, FaultKind::BoundsCrossed);
        }
    }
}

fn field_error(loc: &[&str], msg: impl Into<String>, kind: FaultKind) -> FieldError {
    FieldError {
        loc: loc.iter().copied().map(LocationSegment::from).collect(),
        msg: msg.into(),
        kind,
    }
}

fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_encoding::percent_decode_str(&spaced)
        .decode_utf8()
        .ok()
        .map(|text| text.into_owned())
}

/// The error of one value.
struct Fault {
    msg: String,
    kind: FaultKind,
}

impl Fault {
    fn new(msg: impl Into<String>, kind: FaultKind) -> Self {
        Self { msg: msg.into(), kind }
    }
}

/// Parses a whole number: an optional minus, digits, no leading zero.
fn read_integer(text: &str, min: i64, max: i64) -> Result<i64, Fault> {
    static INTEGER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^-?(0|[1-9][0-9]*)$"));
    let msg = || format!("must be an integer from {min} to {max}");
    if !INTEGER.is_match(text) {
        return Err(Fault::new(msg(), FaultKind::NotAnInteger));
    }
    // A number with too many digits is out of range on the side of its sign.
    let beyond = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    match text.parse().unwrap_or(beyond) {
        number if number < min => Err(Fault::new(msg(), FaultKind::LessThanMinimum)),
        number if number > max => Err(Fault::new(msg(), FaultKind::GreaterThanMaximum)),
        number => Ok(number),
    }
}

pub(super) fn pattern(text: &str) -> Regex {
    // Patterns are literals in this directory; the tests compile every one of them.
    #[expect(
        clippy::unwrap_used,
        reason = "a literal that does not compile is a bug in this file"
    )]
    Regex::new(text).unwrap()
}

fn described(name: &str, location: ParameterIn, required: Required, schema: RefOr<Schema>) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(location)
        .required(required)
        .schema(Some(schema))
}

/// An id in the path.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathId {
    pub(super) name: &'static str,
    pub(super) schema: &'static str,
}

impl PathId {
    pub(super) fn read(self, segments: &[(String, String)], reader: &mut Reader) -> Option<i64> {
        let text = segments
            .iter()
            .find(|(name, _)| name == self.name)
            .map_or("", |(_, text)| text);
        match self.parse(text) {
            Ok(id) => Some(id),
            Err(fault) => {
                reader.fault(&["path", self.name], fault.msg, fault.kind);
                None
            }
        }
    }

    /// The id; `None` if the path does not hold one.
    pub(super) fn peek(self, segments: &[(String, String)]) -> Option<i64> {
        let (_, text) = segments.iter().find(|(name, _)| name == self.name)?;
        self.parse(text).ok()
    }

    fn parse(self, text: &str) -> Result<i64, Fault> {
        read_integer(text, 1, crate::model::ids::MAX_ID)
    }

    pub(super) fn describe(self) -> Parameter {
        described(
            self.name,
            ParameterIn::Path,
            Required::True,
            Ref::from_schema_name(self.schema).into(),
        )
        .build()
    }
}

/// A whole number in the query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Integer {
    pub(super) name: &'static str,
    pub(super) min: i64,
    pub(super) max: i64,
    pub(super) default: Option<i64>,
    pub(super) format: &'static str,
    /// The named schema in the contract, if there is one.
    pub(super) schema: Option<&'static str>,
}

impl Integer {
    pub(super) fn read(&self, reader: &mut Reader) -> Option<i64> {
        reader
            .read_one(self.name, |text| read_integer(text, self.min, self.max))
            .or(self.default)
    }

    pub(super) fn schema(&self) -> Schema {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::Custom(self.format.to_owned())))
            .minimum(Some(self.min))
            .maximum(Some(self.max))
            .default(self.default.map(Into::into))
            .build()
            .into()
    }

    pub(super) fn describe(&self) -> Parameter {
        let schema = match self.schema {
            Some(name) => Ref::from_schema_name(name).into(),
            None => self.schema().into(),
        };
        described(self.name, ParameterIn::Query, Required::False, schema).build()
    }
}

/// A text to search for.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchTextParameter(pub(super) &'static str);

impl SearchTextParameter {
    pub(super) fn read(self, reader: &mut Reader) -> Option<String> {
        let Some(text) = reader.take_one(self.0) else {
            // A text that was given twice already has its error.
            if !reader
                .faults
                .iter()
                .any(|(_, fault)| fault.loc.get(1) == Some(&self.0.into()))
            {
                reader.fault(&["query", self.0], "is required", FaultKind::Missing);
            }
            return None;
        };
        if text.chars().count() > SEARCH_TEXT_MAX {
            let msg = format!("must have at most {SEARCH_TEXT_MAX} characters");
            reader.fault(&["query", self.0], msg, FaultKind::TooLong);
            return None;
        }
        if text.trim().is_empty() {
            reader.fault(&["query", self.0], "must not be blank", FaultKind::Blank);
            return None;
        }
        Some(text)
    }

    pub(super) fn describe(self) -> Parameter {
        described(
            self.0,
            ParameterIn::Query,
            Required::True,
            Ref::from_schema_name("SearchText").into(),
        )
        .build()
    }
}

/// `true` or `false`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) default: bool,
}

impl Flag {
    pub(super) fn read(self, reader: &mut Reader) -> bool {
        let value = reader.read_one(self.name, |text| {
            text.parse()
                .map_err(|_| Fault::new("must be true or false", FaultKind::NotABoolean))
        });
        value.unwrap_or(self.default)
    }

    pub(super) fn describe(self) -> Parameter {
        let schema = ObjectBuilder::new()
            .schema_type(Type::Boolean)
            .default(Some(self.default.into()))
            .build();
        described(
            self.name,
            ParameterIn::Query,
            Required::False,
            Schema::from(schema).into(),
        )
        .build()
    }
}

/// A calendar date, `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Date(pub(super) &'static str);

impl Date {
    pub(super) fn read(self, reader: &mut Reader) -> Option<NaiveDate> {
        static FORM: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"));
        reader.read_one(self.0, |text| {
            let date = Some(text)
                .filter(|text| FORM.is_match(text))
                .and_then(|text| text.parse().ok());
            date.ok_or_else(|| Fault::new("must be a date of the calendar, YYYY-MM-DD", FaultKind::NotADate))
        })
    }

    pub(super) fn describe(self) -> Parameter {
        optional(self.0, "DateBound")
    }
}

/// A list; the parameter is repeated for further values.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    pub(super) name: &'static str,
    /// The named schema of one value.
    pub(super) item: &'static str,
}

impl List {
    /// Reads each value with `read`, which returns the expected form if the value is wrong.
    pub(super) fn read<T, E: Display>(self, reader: &mut Reader, read: impl Fn(&str) -> Result<T, E>) -> Vec<T> {
        let texts = reader.take_all(self.name);
        if texts.len() > LIST_MAX {
            reader.fault(
                &["query", self.name],
                format!("takes at most {LIST_MAX} values"),
                FaultKind::TooMany,
            );
        }
        let mut values = Vec::with_capacity(texts.len());
        for (index, (position, text)) in texts.iter().enumerate() {
            match read(text) {
                Ok(value) => values.push(value),
                Err(msg) => {
                    let mut fault = field_error(&["query", self.name], msg.to_string(), FaultKind::Malformed);
                    fault.loc.push(LocationSegment::Position(index));
                    reader.faults.push((Place::Query(*position), fault));
                }
            }
        }
        values
    }

    pub(super) fn describe(self) -> Parameter {
        let items = ArrayBuilder::new()
            .items(Ref::from_schema_name(self.item))
            .max_items(Some(LIST_MAX))
            .build();
        described(
            self.name,
            ParameterIn::Query,
            Required::False,
            Schema::from(items).into(),
        )
        .style(Some(ParameterStyle::Form))
        .explode(Some(true))
        .build()
    }
}

/// An optional query parameter whose form is a named schema of the contract.
pub(super) fn optional(name: &str, schema: &str) -> Parameter {
    described(
        name,
        ParameterIn::Query,
        Required::False,
        Ref::from_schema_name(schema).into(),
    )
    .build()
}
