//! The contract as the kit reads it: `openapi.yaml` itself, compiled in, so that a bound which changes
//! there changes every case that rests on it.
//!
//! No limit, code, pattern or default of the contract is written a second time in this crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::clause_lines::lines;

const TEXT: &str = include_str!("../../openapi.yaml");

/// `openapi.yaml`, read.
#[derive(Debug)]
pub struct Contract {
    document: Value,
    operations: Vec<Operation>,
    lines: BTreeMap<String, u64>,
}

/// One operation of the contract.
#[derive(Debug)]
pub struct Operation {
    /// Its `operationId`.
    pub id: String,
    /// Its HTTP method, in upper case.
    pub method: String,
    /// Its path, with names in braces where parameters stand.
    pub path: String,
    /// Its place in the contract, a JSON pointer.
    pub pointer: String,
    /// Its parameters, in the order of the contract.
    pub parameters: Vec<Parameter>,
    /// Its responses, in the order of their statuses.
    pub responses: Vec<Response>,
}

/// One parameter of an operation, references followed.
#[derive(Debug)]
pub struct Parameter {
    /// Its name in the request.
    pub name: String,
    /// `path` or `query`.
    pub location: String,
    /// Its place in the contract, a JSON pointer that goes through its operation.
    pub pointer: String,
    /// Whether a request has to carry it.
    pub required: bool,
    /// Its schema, references followed.
    pub schema: Value,
}

/// One response of an operation, references followed.
#[derive(Debug, Clone)]
pub struct Response {
    /// Its status as the contract writes it: `200`, `422`, `5XX`.
    pub status: String,
    /// Its place in the contract, a JSON pointer that goes through its operation.
    pub pointer: String,
    /// The media types that it may have, each with its schema as it stands in the contract.
    pub content: Vec<(String, Value)>,
    /// Its headers.
    pub headers: Vec<Header>,
    /// The problem codes that its examples show; empty unless it is an error.
    pub codes: BTreeSet<String>,
}

/// One header of a response.
#[derive(Debug, Clone)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Whether every such response has it.
    pub required: bool,
    /// Its schema as it stands in the contract.
    pub schema: Value,
}

/// What a clause rests on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// The source description of the service says so.
    Stated,
    /// The source is silent; this decision of the contract fills the gap.
    Decided(String),
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stated => f.write_str("stated"),
            Self::Decided(decision) => write!(f, "decided {decision}"),
        }
    }
}

impl Contract {
    /// `openapi.yaml`, as it was written.
    pub(crate) fn text() -> &'static str {
        TEXT
    }

    /// The contract that this kit was built with.
    pub fn bundled() -> &'static Self {
        static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
            #[expect(
                clippy::expect_used,
                reason = "the text is part of the program, and every test reads it"
            )]
            Contract::parse(TEXT).expect("openapi.yaml is YAML")
        });
        &CONTRACT
    }

    /// Reads a contract.
    ///
    /// # Errors
    /// When the text is not YAML.
    pub fn parse(text: &str) -> Result<Self, yaml_serde::Error> {
        let document: Value = yaml_serde::from_str(text)?;
        let mut contract = Self {
            document,
            operations: Vec::new(),
            lines: lines(text),
        };
        contract.operations = contract.read_operations();
        Ok(contract)
    }

    /// This contract with other values at some places, given as JSON pointers. What is cited, and on which
    /// line it stands, stays.
    pub(crate) fn amended(&self, changes: &[(String, Value)]) -> Self {
        let mut document = self.document.clone();
        for (pointer, value) in changes {
            let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
            if let Some(parent) = document.pointer_mut(parent) {
                parent[name] = value.clone();
            }
        }
        let mut contract = Self {
            document,
            operations: Vec::new(),
            lines: self.lines.clone(),
        };
        contract.operations = contract.read_operations();
        contract
    }

    /// Whether every error has this member.
    pub(crate) fn errors_have(&self, member: &str) -> bool {
        let required = self.document["components"]["schemas"]["Problem"]["required"].as_array();
        required.is_some_and(|required| required.iter().any(|name| name == member))
    }

    /// The whole document.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// All operations, in the order of their paths.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The greatest id: one that hardly any record has.
    pub fn greatest_id(&self) -> i64 {
        self.operation("list_items")
            .parameter("pipeline_id")
            .number("maximum")
    }

    /// The operation with this `operationId`.
    ///
    /// # Panics
    /// When there is none: the catalogue names an operation that the contract does not have.
    pub fn operation(&self, id: &str) -> &Operation {
        let found = self.operations.iter().find(|operation| operation.id == id);
        #[expect(
            clippy::expect_used,
            reason = "a fault of the catalogue, which every test builds"
        )]
        found.expect("an operationId of the contract")
    }

    /// The node at a JSON pointer, with every `$ref` on the way followed.
    pub fn get(&self, pointer: &str) -> Option<&Value> {
        self.walk(pointer)?.last().copied()
    }

    /// The line of `openapi.yaml` on which the node at a JSON pointer stands, counted from 1, with every
    /// `$ref` on the way followed; a pointer to a `$ref` itself is on the line of the reference.
    pub fn line(&self, pointer: &str) -> Option<u64> {
        let (mut place, mut node) = (String::new(), &self.document);
        for segment in pointer.split('/').skip(1) {
            while let Some(target) = reference(node) {
                target.clone_into(&mut place);
                node = self.document.pointer(target)?;
            }
            node = node.pointer(&format!("/{segment}"))?;
            place.push('/');
            place.push_str(segment);
        }
        self.lines.get(&place).copied()
    }

    /// What the node at a JSON pointer rests on: the nearest `x-basis` or `x-decision` on the way to it,
    /// references followed. None where the contract marks nothing on the way, or has no such node.
    pub fn basis(&self, pointer: &str) -> Option<Basis> {
        self.walk(pointer)?.into_iter().rev().find_map(|node| {
            if let Some(decision) = node.get("x-decision").and_then(Value::as_str) {
                return Some(Basis::Decided(decision.to_owned()));
            }
            (node.get("x-basis")? == "stated").then_some(Basis::Stated)
        })
    }

    /// The description nearest to the node at a JSON pointer.
    pub fn description(&self, pointer: &str) -> Option<&str> {
        // A property may have that name too; it is no text.
        self.walk(pointer)?
            .into_iter()
            .rev()
            .find_map(|node| node.get("description")?.as_str())
    }

    /// Whether the contract says this sentence somewhere, white space and code marks aside.
    pub fn says(&self, sentence: &str) -> bool {
        static SAID: LazyLock<String> = LazyLock::new(|| {
            let mut said = String::new();
            collect_descriptions(&Contract::bundled().document, &mut said);
            said
        });
        SAID.contains(&plain(sentence))
    }

    /// The nodes on the way to a pointer, the last one being what it points to.
    fn walk(&self, pointer: &str) -> Option<Vec<&Value>> {
        let mut nodes = vec![&self.document];
        for segment in pointer.split('/').skip(1) {
            let name = segment.replace("~1", "/").replace("~0", "~");
            let node = self.resolve(nodes.last()?);
            let next = match node {
                Value::Array(list) => list.get(name.parse::<usize>().ok()?),
                _ => node.get(&name),
            }?;
            // Both ends of a reference are on the way: each may say what it rests on.
            nodes.push(next);
            nodes.push(self.resolve(next));
        }
        Some(nodes)
    }

    /// A node, or what it refers to.
    pub(crate) fn resolve<'a>(&'a self, mut node: &'a Value) -> &'a Value {
        while let Some(target) = reference(node).and_then(|to| self.document.pointer(to)) {
            node = target;
        }
        node
    }

    fn read_operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        for (path, methods) in members(&self.document["paths"]) {
            for (method, operation) in members(methods) {
                let pointer = format!("/paths/{}/{method}", escape(path));
                operations.push(Operation {
                    id: text(&operation["operationId"]),
                    method: method.to_uppercase(),
                    path: path.clone(),
                    parameters: self.read_parameters(operation, &pointer),
                    responses: self.read_responses(operation, &pointer),
                    pointer,
                });
            }
        }
        // Whether a map of JSON keeps its order is not this crate's to say.
        operations.sort_by(|one, other| one.path.cmp(&other.path));
        operations
    }

    fn read_parameters(&self, operation: &Value, pointer: &str) -> Vec<Parameter> {
        let nodes = operation["parameters"].as_array().into_iter().flatten();
        let read = |(position, node)| {
            let node = self.resolve(node);
            let mut schema = self.resolve(&node["schema"]).clone();
            if let Some(items) = schema.get("items") {
                schema["items"] = self.resolve(items).clone();
            }
            Parameter {
                name: text(&node["name"]),
                location: text(&node["in"]),
                pointer: format!("{pointer}/parameters/{position}"),
                required: node["required"] == true,
                schema,
            }
        };
        nodes.enumerate().map(read).collect()
    }

    fn read_responses(&self, operation: &Value, pointer: &str) -> Vec<Response> {
        let read = |(status, node): (&String, _)| {
            self.read_response(
                status,
                format!("{pointer}/responses/{status}"),
                self.resolve(node),
            )
        };
        let mut responses: Vec<_> = members(&operation["responses"]).map(read).collect();
        responses.sort_by(|one, other| one.status.cmp(&other.status));
        responses
    }

    fn read_response(&self, status: &str, pointer: String, node: &Value) -> Response {
        let examples = members(&node["content"]).flat_map(|(_, media)| members(&media["examples"]));
        let codes =
            examples.filter_map(|(_, example)| self.resolve(example)["value"]["code"].as_str());
        let codes = if status.starts_with(['4', '5']) {
            codes.map(str::to_owned).collect()
        } else {
            BTreeSet::new()
        };
        let headers =
            members(&node["headers"]).map(|(name, header)| self.read_header(name, header));
        let content = members(&node["content"]);
        Response {
            status: status.to_owned(),
            pointer,
            content: content
                .map(|(name, media)| (name.clone(), media["schema"].clone()))
                .collect(),
            headers: headers.collect(),
            codes,
        }
    }

    fn read_header(&self, name: &str, node: &Value) -> Header {
        let node = self.resolve(node);
        Header {
            name: name.to_owned(),
            required: node["required"] == true,
            schema: node["schema"].clone(),
        }
    }

    /// A header that the contract names among its components.
    pub(crate) fn component_header(&self, name: &str) -> Header {
        self.read_header(name, &self.document["components"]["headers"][name])
    }
}

impl Operation {
    /// The parameter of this name.
    ///
    /// # Panics
    /// When the operation has none: a fault of the catalogue.
    pub fn parameter(&self, name: &str) -> &Parameter {
        let found = self
            .parameters
            .iter()
            .find(|parameter| parameter.name == name);
        #[expect(
            clippy::expect_used,
            reason = "a fault of the catalogue, which every test builds"
        )]
        found.expect("a parameter of the operation")
    }

    /// The response of this status, or of its range (`5XX`).
    pub fn response(&self, status: u16) -> Option<&Response> {
        let exact = status.to_string();
        let range = format!("{}XX", status / 100);
        let of = |wanted: &str| {
            self.responses
                .iter()
                .find(|response| response.status == wanted)
        };
        of(&exact).or_else(|| of(&range))
    }

    /// The place of a response in the contract, a JSON pointer.
    pub fn response_pointer(&self, status: u16) -> String {
        format!("{}/responses/{status}", self.pointer)
    }

    /// Whether the operation changes nothing.
    pub fn is_read(&self) -> bool {
        self.method == "GET"
    }
}

impl Parameter {
    /// The place of a keyword of its schema in the contract, a JSON pointer.
    pub fn at(&self, keyword: &str) -> String {
        format!("{}/schema/{keyword}", self.pointer)
    }

    /// The number that a keyword of its schema gives, such as `minimum`, `maximum` or `default`.
    ///
    /// # Panics
    /// When the schema gives none: a fault of the catalogue.
    pub fn number(&self, keyword: &str) -> i64 {
        #[expect(
            clippy::expect_used,
            reason = "a fault of the catalogue, which every test builds"
        )]
        self.schema[keyword]
            .as_i64()
            .expect("a whole number in the contract")
    }
}

/// The place that a node refers to, if it does.
fn reference(node: &Value) -> Option<&str> {
    node.get("$ref")?.as_str()?.strip_prefix('#')
}

/// Writes a name as a segment of a JSON pointer.
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn members(node: &Value) -> impl Iterator<Item = (&String, &Value)> {
    node.as_object().into_iter().flatten()
}

fn text(node: &Value) -> String {
    node.as_str().unwrap_or_default().to_owned()
}

fn collect_descriptions(node: &Value, said: &mut String) {
    match node {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "description" || name == "summary" => {
                        said.push_str(&plain(text));
                        said.push('\n');
                    }
                    _ => collect_descriptions(member, said),
                }
            }
        }
        Value::Array(list) => list
            .iter()
            .for_each(|member| collect_descriptions(member, said)),
        _ => {}
    }
}

/// A text without its code marks, with one space for any white space.
fn plain(text: &str) -> String {
    #[expect(
        clippy::unwrap_used,
        reason = "a literal, compiled by every test that reads the contract"
    )]
    static SPACE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\s+").unwrap());
    SPACE
        .replace_all(&text.replace('`', ""), " ")
        .trim()
        .to_owned()
}
