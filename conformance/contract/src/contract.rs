//! The whole document: nodes, references, lines, bases, sentences.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde_json::Value;

use crate::basis::{Basis, Decision, Promise, STATED, comparable, plain};
use crate::operation::{Header, Operation, Parameter, RequestBody, Response};
use crate::pointer::{escape, segments};
use crate::yaml::{self, AmbiguousScalar, SyntaxError};

/// The text of `openapi.yaml`.
pub const TEXT: &str = include_str!("../openapi.yaml");

// The file is a symbolic link in the repository and the document itself in a package. Git writes the target of the link
// into a plain file where it cannot create links.
const _: () = assert!(
    TEXT.len() > 1024,
    "conformance/contract/openapi.yaml is not a link: run `git config core.symlinks true`, then check it out again"
);

/// The limit on the lines of a description.
const DESCRIPTION: usize = 200;

/// A parsed contract.
#[derive(Debug)]
pub struct Contract {
    /// The lines of the text, normalized for comparing sentences.
    lines_of_text: Arc<[String]>,
    document: Value,
    lines: BTreeMap<String, u64>,
    ambiguous: Vec<AmbiguousScalar>,
    operations: Vec<Arc<Operation>>,
    /// The lines found for places and sentences: the report of every run names the same ones.
    found_lines: Mutex<BTreeMap<(String, String), Option<u64>>>,
}

impl Contract {
    /// Returns the contract that this crate was built with.
    pub fn bundled() -> &'static Arc<Self> {
        static CONTRACT: LazyLock<Arc<Contract>> = LazyLock::new(|| {
            #[expect(
                clippy::expect_used,
                reason = "the text is part of the program, and every test reads it"
            )]
            Arc::new(Contract::parse(TEXT).expect("openapi.yaml can be read"))
        });
        &CONTRACT
    }

    /// Parses a contract.
    ///
    /// # Errors
    /// [`SyntaxError`], with the line, when the text is not YAML 1.2, or contains something that YAML readers interpret
    /// differently: an anchor, a tag, a duplicate key, a number that JSON cannot represent.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let read = yaml::read(text)?;
        let mut contract = Self {
            lines_of_text: text.lines().map(comparable).collect(),
            document: read.root,
            lines: read.lines,
            ambiguous: read.ambiguous,
            operations: Vec::new(),
            found_lines: Mutex::default(),
        };
        contract.operations = contract.read_operations();
        Ok(contract)
    }

    /// Returns this contract with other values at some JSON Pointers. The lines stay the same.
    #[must_use]
    pub fn amended(&self, changes: &[(String, Value)]) -> Self {
        let mut document = self.document.clone();
        for (pointer, value) in changes {
            let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
            if let Some(parent) = document.pointer_mut(parent) {
                parent[name] = value.clone();
            }
        }
        let mut contract = Self {
            lines_of_text: Arc::clone(&self.lines_of_text),
            document,
            lines: self.lines.clone(),
            ambiguous: self.ambiguous.clone(),
            operations: Vec::new(),
            found_lines: Mutex::default(),
        };
        contract.operations = contract.read_operations();
        contract
    }

    /// The whole document.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// All operations, in the order of their paths.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// Returns the operation with this `operationId`.
    ///
    /// # Panics
    /// When the contract has no such operation, which is a bug in the caller.
    pub fn operation(&self, id: &str) -> &Arc<Operation> {
        let found = self.operations.iter().find(|operation| operation.id == id);
        found.unwrap_or_else(|| panic!("the contract has no operation {id}"))
    }

    /// The greatest id that the contract allows. A record may have it: a bound is what people try.
    pub fn greatest_id(&self) -> i64 {
        self.operation("list_items").parameter("pipeline_id").number("maximum")
    }

    /// An id that no record is likely to have: near neither bound, and not a round number in any base.
    pub fn unknown_id(&self) -> i64 {
        self.greatest_id() / 9 * 8
    }

    /// Whether every error has this member.
    pub fn errors_have(&self, member: &str) -> bool {
        let required = self.document["components"]["schemas"]["Problem"]["required"].as_array();
        required.is_some_and(|required| required.iter().any(|name| name == member))
    }

    /// Returns a header of the components.
    pub fn component_header(&self, name: &str) -> Header {
        self.read_header(name, &self.document["components"]["headers"][name])
    }

    /// The scalars that a YAML 1.1 reader interprets differently, such as an unquoted `NO`.
    pub fn ambiguous_scalars(&self) -> &[AmbiguousScalar] {
        &self.ambiguous
    }

    /// Returns the node at a pointer, following every `$ref` on the way and at the end.
    pub fn get(&self, place: &str) -> Option<&Value> {
        self.walk(place)?.last().copied()
    }

    /// Returns a node, or the target of its reference.
    pub fn resolve<'a>(&'a self, mut node: &'a Value) -> &'a Value {
        while let Some(target) = reference(node).and_then(|to| self.document.pointer(to)) {
            node = target;
        }
        node
    }

    /// Resolves a pointer that may pass references to the JSON Pointer (RFC 6901) of the node itself. A reference at
    /// the end is not followed.
    pub fn locate(&self, place: &str) -> Option<String> {
        let (mut pointer, mut node) = (String::new(), &self.document);
        for name in segments(place) {
            while let Some(target) = reference(node) {
                target.clone_into(&mut pointer);
                node = self.document.pointer(target)?;
            }
            node = child(node, &name)?;
            pointer.push('/');
            pointer.push_str(&escape(&name));
        }
        Some(pointer)
    }

    /// Returns the line of `openapi.yaml` with the node at a pointer, counted from 1.
    pub fn line(&self, place: &str) -> Option<u64> {
        self.lines.get(&self.locate(place)?).copied()
    }

    /// Returns the line on which a sentence of the node at a pointer begins; the line of the node if the text does not
    /// contain the sentence word for word.
    pub fn line_of(&self, place: &str, sentence: &str) -> Option<u64> {
        let mut found = self.found_lines.lock().unwrap_or_else(PoisonError::into_inner);
        let sought = (place.to_owned(), sentence.to_owned());
        *found
            .entry(sought)
            .or_insert_with(|| self.find_line_of(place, sentence))
    }

    fn find_line_of(&self, place: &str, sentence: &str) -> Option<u64> {
        let of_node = self.line(place);
        if !self.says(place, sentence) {
            return of_node;
        }
        let first = usize::try_from(self.line(&self.described(place)?)?).ok()?;
        // The normalized text from the node on, and where each of its lines begins in it.
        let (mut text, mut begins) = (String::new(), Vec::new());
        for line in self.lines_of_text.iter().skip(first - 1).take(DESCRIPTION) {
            begins.push(text.len());
            if !line.is_empty() {
                text.push_str(line);
                text.push(' ');
            }
        }
        let Some(found) = text.find(&comparable(sentence)) else {
            return of_node;
        };
        let line = begins.partition_point(|begin| *begin <= found);
        u64::try_from(first - 1 + line).ok()
    }

    /// Returns the node at a pointer, or the target of its reference if that has the description.
    fn described(&self, place: &str) -> Option<String> {
        let pointer = self.locate(place)?;
        let node = self.document.pointer(&pointer)?;
        Some(reference(node).map_or(pointer.clone(), str::to_owned))
    }

    /// Returns the basis of the node at a pointer: the nearest mark on the way to it, with references followed. A node
    /// is marked by `x-basis` and `x-decision`, a keyword by the `x-keyword-basis` of its node. `None` if nothing on
    /// the way is marked, or if there is no such node.
    pub fn basis(&self, place: &str) -> Option<Basis> {
        let mut nodes = vec![&self.document];
        let mut basis = Basis::of(&self.document);
        for name in segments(place) {
            let node = self.resolve(nodes.last()?);
            let next = child(node, &name)?;
            let marks = [
                Basis::of_keyword(node, &name),
                Basis::of(next),
                Basis::of(self.resolve(next)),
            ];
            basis = marks.into_iter().flatten().next_back().or(basis);
            nodes.push(next);
        }
        basis
    }

    /// Returns the description nearest to the node at a pointer.
    pub fn description(&self, place: &str) -> Option<&str> {
        // A property may also be named `description`; it is not a string.
        self.walk(place)?
            .into_iter()
            .rev()
            .find_map(|node| node.get("description")?.as_str())
    }

    /// Whether the node at a pointer contains this sentence in its description, its summary or one of its own scalars,
    /// ignoring white space and code marks.
    pub fn says(&self, place: &str, sentence: &str) -> bool {
        let wanted = comparable(sentence);
        self.walk(place).is_some_and(|nodes| {
            let ends = nodes.iter().rev().take(2);
            let mut texts = ends.flat_map(|node| match node {
                Value::String(text) => vec![comparable(text)],
                node => ["description", "summary", "rule"]
                    .iter()
                    .filter_map(|name| node.get(name)?.as_str().map(comparable))
                    .collect(),
            });
            texts.any(|text| text.contains(&wanted))
        })
    }

    /// Returns the basis of a sentence of the node at a pointer: the basis of the `x-clauses` entry that contains it. A
    /// sentence longer than the entries gets the basis of an entry inside it or of the node, whichever is decided.
    pub fn basis_of(&self, place: &str, sentence: &str) -> Option<Basis> {
        let wanted = comparable(sentence);
        let nodes = self.walk(place)?;
        let promises = nodes.iter().rev().take(2).flat_map(|node| promises(node));
        let promises: Vec<_> = promises.map(|(says, basis)| (comparable(says), basis)).collect();
        let holding = promises.iter().filter(|(says, _)| says.contains(&wanted));
        if let Some((_, basis)) = holding.min_by_key(|(says, _)| says.len()) {
            return basis.clone().or_else(|| self.basis(place));
        }
        // A quote longer than the entries is decided if an entry or the rest is decided.
        let held = promises.iter().filter(|(says, _)| wanted.contains(says));
        let decided = held
            .filter_map(|(_, basis)| basis.clone())
            .find(|basis| *basis != Basis::Stated);
        decided.or_else(|| self.basis(place))
    }

    /// Returns every sentence with its own basis (`x-clauses`), ordered by place.
    pub fn promises(&self) -> Vec<Promise> {
        let mut found = Vec::new();
        visit(&self.document, &mut String::new(), &mut |pointer, node| {
            for (says, basis) in promises(node) {
                let Some(basis) = basis else { continue };
                found.push(Promise {
                    pointer: pointer.to_owned(),
                    says: plain(says),
                    basis,
                });
            }
        });
        found
    }

    /// The response to a request that reaches no operation (`x-unrouted-responses`).
    pub fn unrouted_response(&self, status: u16) -> Option<Response> {
        let pointer = format!("/x-unrouted-responses/{status}");
        let node = self.document.pointer(&pointer)?;
        Some(self.read_response(&status.to_string(), pointer, node))
    }

    /// The response to a request that is rejected before it reaches an operation (`x-early-responses`).
    pub fn early_response(&self, status: u16) -> Option<Response> {
        let pointer = format!("/x-early-responses/{status}");
        let node = self.document.pointer(&pointer)?;
        Some(self.read_response(&status.to_string(), pointer, node))
    }

    /// The decisions (`x-decisions`), in the order of the contract.
    pub fn decisions(&self) -> Vec<Decision> {
        let decisions = self.document["x-decisions"].as_array();
        decisions.into_iter().flatten().map(Decision::of).collect()
    }

    /// Returns the ids of the decisions that some node or sentence rests on.
    pub fn decisions_in_use(&self) -> BTreeSet<String> {
        let mut used = BTreeSet::new();
        visit(&self.document, &mut String::new(), &mut |_, node| {
            used.extend(decisions_of(node));
        });
        used
    }

    /// Returns the ids of the decisions behind the node at a pointer: behind the node, its keywords, its sentences and
    /// everything below it, with references followed.
    pub fn decisions_at(&self, place: &str) -> BTreeSet<String> {
        let own = self.basis(place);
        let own = own.as_ref().and_then(Basis::decision);
        let mut found: BTreeSet<String> = own.map(str::to_owned).into_iter().collect();
        let mut open: Vec<_> = self.get(place).into_iter().collect();
        let mut followed = BTreeSet::new();
        while let Some(root) = open.pop() {
            visit(root, &mut String::new(), &mut |_, node| {
                found.extend(decisions_of(node));
                let target = reference(node).filter(|target| followed.insert(*target));
                open.extend(target.and_then(|target| self.document.pointer(target)));
            });
        }
        found
    }

    /// Returns the nodes along a pointer, the target last.
    fn walk(&self, place: &str) -> Option<Vec<&Value>> {
        let mut nodes = vec![&self.document];
        for name in segments(place) {
            let next = child(self.resolve(nodes.last()?), &name)?;
            // Both ends of a reference are on the way: each may have a basis.
            nodes.push(next);
            nodes.push(self.resolve(next));
        }
        Some(nodes)
    }

    fn read_operations(&self) -> Vec<Arc<Operation>> {
        let mut operations = Vec::new();
        for (path, methods) in members(&self.document["paths"]) {
            for (method, operation) in members(methods) {
                let pointer = format!("/paths/{}/{method}", escape(path));
                let parameters = self.read_parameters(operation, &pointer);
                let (request_headers, parameters) = parameters
                    .into_iter()
                    .partition(|parameter| parameter.location == "header");
                operations.push(Arc::new(Operation {
                    id: text(&operation["operationId"]),
                    method: method.to_uppercase(),
                    path: path.clone(),
                    parameters,
                    request_headers,
                    body: self.read_body(operation, &pointer),
                    responses: self.read_responses(operation, &pointer),
                    pointer,
                }));
            }
        }
        // Sorting makes the order independent of whether a JSON map preserves it.
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
                constraints: rules(node),
                schema,
            }
        };
        nodes.enumerate().map(read).collect()
    }

    fn read_body(&self, operation: &Value, pointer: &str) -> Option<RequestBody> {
        let node = self.resolve(operation.get("requestBody")?);
        Some(RequestBody {
            pointer: format!("{pointer}/requestBody"),
            required: node["required"] == true,
            max_bytes: node["x-max-body-bytes"].as_u64(),
            content: content(node),
        })
    }

    fn read_responses(&self, operation: &Value, pointer: &str) -> Vec<Response> {
        let read = |(status, node): (&String, _)| {
            self.read_response(status, format!("{pointer}/responses/{status}"), self.resolve(node))
        };
        let mut responses: Vec<_> = members(&operation["responses"]).map(read).collect();
        responses.sort_by(|one, other| one.status.cmp(&other.status));
        responses
    }

    fn read_response(&self, status: &str, pointer: String, node: &Value) -> Response {
        let examples = members(&node["content"]).flat_map(|(_, media)| members(&media["examples"]));
        let codes = examples.filter_map(|(_, example)| self.resolve(example)["value"]["code"].as_str());
        let codes = if status.starts_with(['4', '5']) {
            codes.map(str::to_owned).collect()
        } else {
            BTreeSet::new()
        };
        let headers = members(&node["headers"]).map(|(name, header)| self.read_header(name, header));
        Response {
            status: status.to_owned(),
            pointer,
            content: content(node),
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
}

/// Returns the constraints of a parameter that involve other parameters (`x-constraints`).
fn rules(node: &Value) -> Vec<String> {
    let constraints = node["x-constraints"].as_array().into_iter().flatten();
    constraints.map(|constraint| text(&constraint["rule"])).collect()
}

/// Returns the target of a reference, if the node is one.
fn reference(node: &Value) -> Option<&str> {
    node.get("$ref")?.as_str()?.strip_prefix('#')
}

fn child<'a>(node: &'a Value, name: &str) -> Option<&'a Value> {
    match node {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        _ => node.get(name),
    }
}

fn members(node: &Value) -> impl Iterator<Item = (&String, &Value)> {
    node.as_object().into_iter().flatten()
}

fn content(node: &Value) -> Vec<(String, Value)> {
    members(&node["content"])
        .map(|(name, media)| (name.clone(), media["schema"].clone()))
        .collect()
}

fn text(node: &Value) -> String {
    node.as_str().unwrap_or_default().to_owned()
}

/// Returns the sentences of a node that have their own basis.
fn promises(node: &Value) -> Vec<(&str, Option<Basis>)> {
    let listed = node.get("x-clauses").and_then(Value::as_array);
    let listed = listed.into_iter().flatten();
    listed
        .map(|entry| (entry["says"].as_str().unwrap_or_default(), Basis::of(entry)))
        .collect()
}

/// Returns the decisions that a node itself is marked with, and those of its keywords.
fn decisions_of(node: &Value) -> impl Iterator<Item = String> {
    let of_keywords = members(&node["x-keyword-basis"]).map(|(_, basis)| basis);
    let marks = node.get("x-decision").into_iter().chain(of_keywords);
    let decisions = marks.filter_map(Value::as_str).filter(|mark| *mark != STATED);
    decisions.map(str::to_owned)
}

/// Visits every node with its pointer, parents first.
fn visit<'a>(node: &'a Value, pointer: &mut String, look: &mut impl FnMut(&str, &'a Value)) {
    look(pointer, node);
    let mut below = |name: &str, child: &'a Value| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&escape(name));
        visit(child, pointer, look);
        pointer.truncate(length);
    };
    match node {
        Value::Object(members) => members.iter().for_each(|(name, child)| below(name, child)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(position, child)| below(&position.to_string(), child)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "
info: {description: 'One. Two, `three`.', x-clauses: [{says: 'Two, three', x-basis: decided, x-decision: D02}]}
paths:
  /a/{b}:
    get:
      operationId: read_a
      x-basis: stated
      parameters:
        - {name: b, in: path, required: true, schema: {$ref: '#/components/schemas/B'}}
        - {$ref: '#/components/parameters/Trace'}
      responses: {}
components:
  parameters:
    Trace: {name: X-Trace, in: header, x-basis: decided, x-decision: D03, schema: {type: string}}
  schemas:
    B: {type: integer, minimum: 1, maximum: 9, x-basis: stated, x-keyword-basis: {maximum: D01}}
";

    fn small() -> Contract {
        Contract::parse(SMALL).unwrap()
    }

    #[test]
    fn pointer_through_a_reference_is_resolved() {
        let contract = small();
        let b = contract.operation("read_a").parameter("b");
        let maximum = contract.locate(&b.at("maximum")).unwrap();
        assert_eq!(maximum, "/components/schemas/B/maximum");
        assert_eq!(contract.document().pointer(&maximum), Some(&9.into()));
        assert_eq!(contract.line(&maximum), Some(16));
        assert_eq!(contract.locate("/components/none"), None);
    }

    #[test]
    fn sentence_has_the_line_on_which_it_begins() {
        let text = "info:\n  description: |\n    One is\n    here. Two `goes`\n    on to here. Three.\n";
        let contract = Contract::parse(text).unwrap();
        let line = |sentence| contract.line_of("/info", sentence);
        assert_eq!(line("One is here."), Some(3));
        assert_eq!(line("Two goes on to here."), Some(4));
        assert_eq!(line("Three."), Some(5));
        assert_eq!(line("Four."), Some(1));
    }

    #[test]
    fn nearest_mark_is_the_basis() {
        let contract = small();
        let b = contract.operation("read_a").parameter("b");
        assert_eq!(contract.basis(&b.pointer), Some(Basis::Stated));
        assert_eq!(contract.basis(&b.at("minimum")), Some(Basis::Stated));
        let decided = |id: &str| Some(Basis::Decided(id.to_owned()));
        assert_eq!(contract.basis(&b.at("maximum")), decided("D01"));
        let trace = &contract.operation("read_a").request_headers[0];
        assert_eq!(contract.basis(&trace.pointer), decided("D03"));
        assert_eq!(contract.basis("/info"), None);
    }

    #[test]
    fn sentence_has_its_own_basis() {
        let contract = small();
        let of = |sentence| contract.basis_of("/info", sentence);
        assert_eq!(of("One."), None);
        assert_eq!(of("Two, three."), Some(Basis::Decided("D02".to_owned())));
        assert_eq!(of("One. Two, three."), Some(Basis::Decided("D02".to_owned())));
        assert!(contract.says("/info", "One. Two, three."));
        assert!(!contract.says("/info", "Two, four."));
        assert!(!contract.says("/paths", "One."));
        let used: Vec<_> = contract.decisions_in_use().into_iter().collect();
        assert_eq!(used, ["D01", "D02", "D03"]);
    }

    #[test]
    fn node_has_the_decisions_of_everything_below_it() {
        let contract = small();
        let at = |place: &str| Vec::from_iter(contract.decisions_at(place));
        let operation = contract.operation("read_a");
        assert_eq!(at(&operation.pointer), ["D01", "D03"]);
        assert_eq!(at(&operation.parameter("b").pointer), ["D01"]);
        assert_eq!(at(&operation.parameter("b").at("maximum")), ["D01"]);
        assert!(at(&operation.parameter("b").at("minimum")).is_empty());
        assert_eq!(at(&operation.request_headers[0].at("type")), ["D03"]);
        assert_eq!(at("/info"), ["D02"]);
    }
}
