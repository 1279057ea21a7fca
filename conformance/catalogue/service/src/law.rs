//! Property tests with random input to every operation: values in range, at the bounds and beyond, of another type,
//! oddly encoded, repeated, unknown, hostile. Valid input is accepted, other input is rejected as the contract says,
//! and nothing crashes the deployment.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use engine::case::{Case, Need, RequestTemplate};
use engine::property::{
    CUT_DOWN, ExpectedResponses, RunResult, any_text, expected_responses, fits_form, fitting, hostile_names, random,
};
use engine::session::{Call, Probe};
use engine::transport::request::{self, encode};
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation, Parameter};

/// The limit on the requests of one property run.
const LONGEST: usize = 4;
/// The limit on the additions for reducing a property run, beyond those left over by its other runs.
const CUT_DOWN_ADDITIONS: u64 = 12;
/// Invalid UTF-8, percent-encoded: a stray byte, an overlong NUL, half of a surrogate pair, an incomplete character.
const INVALID_UTF8: [&str; 4] = ["%FF%FE", "%C0%80", "%ED%A0%80", "fish%E9%AD"];

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    contract.operations().iter().map(case).collect()
}

fn case(operation: &Arc<Operation>) -> Case {
    let id = &operation.id;
    let case = Case::new(
        format!("law/hostile-input-is-answered-as-foreseen/{id}"),
        format!("{id}: Any input gets a response that the contract describes"),
        operation.response_pointer(422),
    );
    let case = case
        .requests_per_run(LONGEST as u64)
        .sends(CUT_DOWN)
        .primary_quote("/info", "Parameters are never clamped and never ignored.")
        .primary_quote("/info", "The first that applies is the response")
        .may_respond_from(operation.parameters.iter().map(|one| one.pointer.clone()))
        .may_respond_from(operation.body.iter().map(|body| body.pointer.clone()))
        .may_respond_from(["code", "errors"].map(|name| format!("/components/schemas/Problem/properties/{name}")));
    // The input contains ids that no record is expected to have.
    let case = match operation.responses.iter().find(|one| one.status == "404") {
        Some(declared_response) => case.and(&declared_response.pointer),
        None => case,
    };
    // Nothing is added unless the deployment accepts a request that it has to reject.
    let case = match operation.is_read() {
        true => case,
        false => case
            .needs([Need::Writes])
            .writes_per_run(LONGEST as u64)
            .writes(CUT_DOWN_ADDITIONS),
    };
    case.needs(RequestTemplate::valid(operation).needs())
        .check_with(Arc::clone(operation), any_input)
}

async fn any_input(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let ground = Ground::of(&probe, &operation).await?;
    let (made_for, made_on) = (Arc::clone(&operation), ground.clone());
    let strategy = move || proptest::collection::vec(input(&made_for, &made_on), 1..=LONGEST);
    let name = format!("hostile {}", operation.id);
    random(&probe, &name, strategy, |inputs| {
        perform(&probe, &operation, &ground, inputs)
    })
    .await
}

/// The records that an operation is known to find.
#[derive(Debug, Clone)]
struct Ground {
    /// Path values that identify a record, by parameter.
    known: BTreeMap<String, String>,
    columns: Vec<String>,
    /// The schema of `sort_by`.
    sort_by: Value,
    /// An id that no record is expected to have.
    unknown_id: i64,
}

impl Ground {
    async fn of(probe: &Probe, operation: &Operation) -> Result<Self, Stop> {
        let valid = RequestTemplate::valid(operation);
        let known: BTreeMap<_, _> = valid.path_values(probe).await?.into_iter().collect();
        let mine = known.get("pipeline_id");
        let pipelines = probe.known().pipelines.iter();
        let columns = pipelines
            .filter(|pipeline| Some(&pipeline.pipeline_id.to_string()) == mine)
            .flat_map(|pipeline| pipeline.question_columns.clone());
        let list_items = probe.contract().operation("list_items");
        Ok(Self {
            columns: columns.collect(),
            sort_by: list_items.parameter("sort_by").schema.clone(),
            unknown_id: probe.unknown_id(),
            known,
        })
    }

    /// Values of a parameter that find a record.
    fn values(&self, parameter: &Parameter) -> Vec<String> {
        match parameter.name.as_str() {
            "sort_by" => self.columns.clone(),
            name => self.known.get(name).into_iter().cloned().collect(),
        }
    }
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
struct Input {
    path: Vec<(String, String)>,
    query: Vec<(String, Text)>,
    key: Key,
    /// The body and its media type, for an operation that takes a body.
    body: Body,
}

/// A value, and how it is encoded in a query.
#[derive(Debug, Clone, PartialEq)]
enum Text {
    Plain(String),
    /// Every byte is percent-encoded.
    Encoded(String),
    /// Bytes that are not UTF-8.
    None(&'static str),
}

/// The key of a request.
#[derive(Debug, Clone, PartialEq)]
enum Key {
    FullAccess,
    Unknown(String),
    None,
}

/// The body of an addition, and its media type.
#[derive(Debug, Clone, PartialEq)]
struct Body {
    media_type: Option<&'static str>,
    text: String,
    is_sound: Sound,
}

/// Whether a body is valid by the contract.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sound {
    Yes,
    No,
    /// The contract allows either reading.
    Maybe,
}

fn input(operation: &Operation, ground: &Ground) -> impl Strategy<Value = Input> + use<> {
    (query(operation, ground), path(operation, ground), key(), body(ground))
        .prop_map(|(query, path, key, body)| Input { path, query, key, body })
}

/// Mostly values that find a record: a request that finds nothing hides its other errors.
fn path(operation: &Operation, ground: &Ground) -> impl Strategy<Value = Vec<(String, String)>> + use<> {
    let is_read = operation.is_read();
    let parameters = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.location == "path");
    let values = parameters.map(|parameter| {
        let found = ground.values(parameter);
        let unknown_id = ground.unknown_id.to_string();
        // Nothing is added to a pipeline that may exist and that the target does not name, however leniently its id is
        // read.
        let (named, ids) = (found.clone(), 1..ground.unknown_id);
        let may_be_sent = move |text: &str| {
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            match digits.parse() {
                Ok(id) if !is_read && ids.contains(&id) => named.contains(&id.to_string()),
                _ => true,
            }
        };
        // An empty segment and a segment of dots make another path, and proxies reject NUL.
        let odd = any_text(&parameter.schema, found.clone()).prop_filter("a path segment", move |text| {
            let is_segment = !["", ".", ".."].contains(&text.as_str()) && !text.contains(['/', '\\', '\0']);
            is_segment && may_be_sent(text)
        });
        let value = prop_oneof![6 => select(found), 1 => Just(unknown_id), 1 => odd];
        let name = parameter.name.clone();
        value.prop_map(move |value| (name.clone(), value))
    });
    values.collect::<Vec<_>>()
}

fn query(operation: &Operation, ground: &Ground) -> impl Strategy<Value = Vec<(String, Text)>> + use<> {
    let parameters = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.location == "query");
    let (mut required, mut optional) = (Vec::new(), Vec::new());
    for parameter in parameters {
        let schema = match parameter.schema.get("items") {
            Some(items) => items.clone(),
            None => parameter.schema.clone(),
        };
        let known = ground.values(parameter);
        let sound = fitting(&schema, known.clone()).prop_map(Text::Plain);
        let odd = any_text(&schema, known);
        let value = prop_oneof![
            4 => sound,
            4 => odd.clone().prop_map(Text::Plain),
            1 => odd.prop_map(Text::Encoded),
            1 => select(&INVALID_UTF8[..]).prop_map(Text::None),
        ];
        let name = parameter.name.clone();
        let named = value.prop_map(move |value| (name.clone(), value));
        match parameter.required {
            true => required.push(named.boxed()),
            false => optional.push(named.boxed()),
        }
    }
    let unknown = (hostile_names(), "[a-z0-9]{0,3}").prop_map(|(name, value)| (name, Text::Plain(value)));
    optional.push(unknown.boxed());
    let some = proptest::strategy::Union::new(optional);
    // A required parameter is sometimes omitted.
    let required: Vec<_> = required
        .into_iter()
        .map(|one| prop_oneof![7 => one.prop_map(Some), 1 => Just(None)])
        .collect();
    (proptest::collection::vec(some, 0..=3), required)
        .prop_map(|(some, required)| required.into_iter().flatten().chain(some).collect())
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        14 => Just(Key::FullAccess),
        1 => Just(Key::None),
        1 => "not-a-key-[!-~]{1,20}".prop_map(Key::Unknown),
    ]
}

/// Bodies of an addition that adds nothing: valid ones name an organization that does not exist.
fn body(ground: &Ground) -> impl Strategy<Value = Body> + use<> {
    let unknown_id = ground.unknown_id;
    let sound = json!({ "organization_id": unknown_id }).to_string();
    let spaced = format!("\r\n\t {{ \"organization_id\" : {unknown_id} }} \n");
    let escaped = format!(r#"{{"\u006frganization_id":{unknown_id}}}"#);
    let id = |value: Value| json!({ "organization_id": value }).to_string();
    let unsound = vec![
        String::new(),
        "null".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        unknown_id.to_string(),
        "{\"organization_id\":".to_owned(),
        format!("{{'organization_id':{unknown_id}}}"),
        format!("{{organization_id:{unknown_id}}}"),
        format!("{sound}{sound}"),
        format!("{sound}]"),
        format!("[{sound}]"),
        id(Value::Null),
        id(json!(unknown_id.to_string())),
        id(json!(true)),
        id(json!([unknown_id])),
        id(json!({ "id": unknown_id })),
        id(json!(0)),
        id(json!(-1)),
        id(json!(unknown_id + 1)),
        id(json!(1.5)),
        "{\"organization_id\":1e400}".to_owned(),
        "{\"organization_id\":NaN}".to_owned(),
        "{\"organization_id\":99999999999999999999}".to_owned(),
        json!({ "organization_id": unknown_id, "name": "Fjordfrost" }).to_string(),
        json!({ "organization_id": unknown_id, "__proto__": {} }).to_string(),
        json!({ "Organization_Id": unknown_id }).to_string(),
        json!({ "organization_id ": unknown_id }).to_string(),
        format!("{{\"organization_id\":{}1{}}}", "[".repeat(900), "]".repeat(900)),
        "[".repeat(20_000),
    ];
    let disputed = vec![
        // A whole number with a fraction of zero, a byte order mark, a duplicate key.
        format!("{{\"organization_id\":{unknown_id}.0}}"),
        format!("\u{feff}{sound}"),
        format!("{{\"organization_id\":{unknown_id},\"organization_id\":{unknown_id}}}"),
    ];
    let texts = prop_oneof![
        3 => select(vec![sound, spaced, escaped]).prop_map(|text| (text, Sound::Yes)),
        6 => select(unsound).prop_map(|text| (text, Sound::No)),
        1 => select(disputed).prop_map(|text| (text, Sound::Maybe)),
        1 => "\\PC{0,20}".prop_map(|text| (format!("\"{text}"), Sound::No)),
    ];
    let media_types = prop_oneof![
        8 => Just(Some("application/json")),
        1 => Just(Some("application/json; charset=utf-8")),
        2 => select(vec![None, Some("text/plain"), Some("application/jsonl"), Some("application/x-www-form-urlencoded")]),
    ];
    (texts, media_types).prop_map(|((text, is_sound), media_type)| Body {
        media_type,
        text,
        is_sound,
    })
}

async fn perform(probe: &Probe, operation: &Operation, ground: &Ground, inputs: Vec<Input>) -> Result<RunResult, Stop> {
    let mut run = RunResult::default();
    for input in inputs {
        let expected = input.expected(operation, ground);
        let response = input.call(probe, operation).send().await?;
        // A 429 says nothing about the request.
        if response.status != 429 {
            expected.check(&response, &mut run);
        }
        run.responses.push(response);
        if run.violation.is_some() {
            break;
        }
    }
    Ok(run)
}

impl Input {
    fn call(&self, probe: &Probe, operation: &Operation) -> Call {
        let mut call = probe.call(&operation.id);
        for (name, value) in &self.path {
            call = call.path(name, value);
        }
        for (name, text) in &self.query {
            call = match text {
                Text::Plain(value) => call.query(name, value),
                Text::Encoded(value) => {
                    let encoded: String = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
                    call.raw_query(&format!("{}={encoded}", encode(name)))
                }
                Text::None(encoded) => call.raw_query(&format!("{}={encoded}", encode(name))),
            };
        }
        call = match &self.key {
            Key::FullAccess => call,
            Key::Unknown(text) => call.literal_keys([text.as_str()]),
            Key::None => call.literal_keys([]),
        };
        if operation.is_read() {
            return call;
        }
        let call = call.body(request::Body::Text(self.body.text.clone()));
        match self.body.media_type {
            Some(media_type) => call.header("Content-Type", media_type),
            None => call,
        }
    }

    fn expected(&self, operation: &Operation, ground: &Ground) -> ExpectedResponses {
        match self.key {
            Key::None => return ExpectedResponses::only(401, "authentication_required"),
            Key::Unknown(_) => return ExpectedResponses::only(401, "invalid_api_key"),
            Key::FullAccess => {}
        }
        let is_json = |media_type: &str| media_type.starts_with("application/json") && !media_type.ends_with("jsonl");
        if !operation.is_read() && !self.body.media_type.is_some_and(is_json) {
            return ExpectedResponses::only(415, "unsupported_media_type");
        }
        let path: Vec<_> = self
            .path
            .iter()
            .map(|(name, value)| (name.clone(), Some(value.as_str())))
            .collect();
        let query: Vec<_> = self
            .query
            .iter()
            .map(|(name, text)| (name.clone(), text.meant()))
            .collect();
        let expected = expected_responses(operation, &path, &query, self.otherwise(operation, ground));
        match self.body.is_sound {
            _ if operation.is_read() => expected,
            Sound::Yes => expected,
            Sound::No => expected.and_in_the_body(true),
            Sound::Maybe => expected.and_in_the_body(false),
        }
    }

    /// The possible responses to a request without an error, depending on the records that exist.
    fn otherwise(&self, operation: &Operation, ground: &Ground) -> Vec<(u16, Option<&'static str>)> {
        let found = |wanted: &str| {
            let (_, value) = self.path.iter().find(|(name, _)| name == wanted)?;
            Some(match value {
                value if ground.known.get(wanted) == Some(value) => Found::Yes,
                value if *value == ground.unknown_id.to_string() => Found::No,
                _ => Found::Maybe,
            })
        };
        let mut responses = Vec::new();
        for (name, code) in [
            ("organization_id", "organization_not_found"),
            ("product_id", "product_not_found"),
            ("pipeline_id", "pipeline_not_found"),
        ] {
            match found(name) {
                Some(Found::No) => return vec![(404, Some(code))],
                Some(Found::Maybe) => responses.push((404, Some(code))),
                Some(Found::Yes) | None => {}
            }
        }
        match found("pipeline_item_id") {
            Some(Found::No) => {
                responses.push((404, Some("item_not_found")));
                return responses;
            }
            Some(Found::Maybe) => {
                responses.extend([(404, Some("item_not_found")), (400, Some("item_not_in_pipeline"))]);
            }
            // The item is in the known pipeline and in no other.
            Some(Found::Yes) if found("pipeline_id") == Some(Found::Maybe) => {
                responses.push((400, Some("item_not_in_pipeline")));
            }
            Some(Found::Yes) | None => {}
        }
        if !operation.is_read() {
            responses.extend([
                (400, Some("not_an_organization_pipeline")),
                (404, Some("organization_not_found")),
            ]);
            return responses;
        }
        responses.extend(self.sorted(ground));
        responses
    }

    /// The possible responses to a sorted list. Another pipeline may have any columns.
    fn sorted(&self, ground: &Ground) -> Vec<(u16, Option<&'static str>)> {
        let (invalid, unknown) = ((400, Some("invalid_sort_by")), (400, Some("unknown_sort_column")));
        let given = self.query.iter().find(|(name, _)| name == "sort_by");
        let Some((_, text)) = given else {
            return vec![(200, None)];
        };
        let is_mine = |name| ground.known.get("pipeline_id").is_some_and(|known| known == name);
        match text.meant() {
            Some(text) if fits_form(&ground.sort_by, text) => match self.path.as_slice() {
                [(_, pipeline_id)] if is_mine(pipeline_id) => {
                    let is_known = ground.columns.iter().any(|column| column == text);
                    vec![if is_known { (200, None) } else { unknown }]
                }
                _ => vec![(200, None), unknown],
            },
            _ => vec![invalid],
        }
    }
}

/// Whether a record exists.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Found {
    Yes,
    No,
    Maybe,
}

impl Text {
    /// The decoded text; `None` for invalid UTF-8.
    fn meant(&self) -> Option<&str> {
        match self {
            Self::Plain(text) | Self::Encoded(text) => Some(text),
            Self::None(_) => None,
        }
    }
}
