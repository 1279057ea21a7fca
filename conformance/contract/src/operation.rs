//! Operations with their parameters, bodies and responses, references followed.

use std::collections::BTreeSet;

use serde_json::Value;

/// One operation of the contract.
#[derive(Debug)]
pub struct Operation {
    /// Its `operationId`.
    pub id: String,
    /// Its HTTP method, in upper case.
    pub method: String,
    /// Its path, with parameter names in braces.
    pub path: String,
    /// Its place in the contract, a JSON Pointer.
    pub pointer: String,
    /// Its parameters in path and query, in the order of the contract.
    pub parameters: Vec<Parameter>,
    /// The headers that a request may carry.
    pub request_headers: Vec<Parameter>,
    /// Its request body, if it has one.
    pub body: Option<RequestBody>,
    /// Its responses, in the order of their statuses.
    pub responses: Vec<Response>,
}

/// One parameter of an operation.
#[derive(Debug)]
pub struct Parameter {
    /// Its name in the request.
    pub name: String,
    /// `path`, `query` or `header`.
    pub location: String,
    /// Its place in the contract, a JSON Pointer to the entry of the operation's list.
    pub pointer: String,
    /// Whether a request must carry it.
    pub required: bool,
    /// The rules that involve other parameters (`x-constraints`), such as `skip + limit <= 500`.
    pub constraints: Vec<String>,
    /// Its schema, references followed.
    pub schema: Value,
}

/// The body of a request.
#[derive(Debug)]
pub struct RequestBody {
    /// Its place in the contract, a JSON Pointer.
    pub pointer: String,
    /// Whether a request must carry it.
    pub required: bool,
    /// Its maximum length in bytes (`x-max-body-bytes`), if the contract sets one.
    pub max_bytes: Option<u64>,
    /// The possible media types, each with its schema as written in the contract.
    pub content: Vec<(String, Value)>,
}

/// One response of an operation.
#[derive(Debug, Clone)]
pub struct Response {
    /// Its status as the contract writes it: `200`, `422`, `5XX`.
    pub status: String,
    /// Its place in the contract, a JSON Pointer to the entry of the operation.
    pub pointer: String,
    /// The possible media types, each with its schema as written in the contract.
    pub content: Vec<(String, Value)>,
    /// Its headers.
    pub headers: Vec<Header>,
    /// The problem codes in its examples; empty unless it is an error.
    pub codes: BTreeSet<String>,
}

/// One header of a response.
#[derive(Debug, Clone)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Whether every such response has it.
    pub required: bool,
    /// Its schema as written in the contract.
    pub schema: Value,
}

impl Operation {
    /// Returns the parameter with this name.
    ///
    /// # Panics
    /// When the operation has no such parameter, which is a bug in the caller.
    pub fn parameter(&self, name: &str) -> &Parameter {
        let found = self.parameters.iter().find(|parameter| parameter.name == name);
        found.unwrap_or_else(|| panic!("the operation {} has no parameter {name}", self.id))
    }

    /// Returns the response with this status, or with its range (`5XX`).
    pub fn response(&self, status: u16) -> Option<&Response> {
        let exact = status.to_string();
        let range = format!("{}XX", status / 100);
        let of = |wanted: &str| self.responses.iter().find(|response| response.status == wanted);
        of(&exact).or_else(|| of(&range))
    }

    /// The place of a response in the contract, a JSON Pointer.
    pub fn response_pointer(&self, status: u16) -> String {
        format!("{}/responses/{status}", self.pointer)
    }

    /// Whether it searches organizations or products. Every other operation concerns a pipeline.
    pub fn is_search(&self) -> bool {
        self.path.starts_with("/search/")
    }

    /// Whether it searches products.
    pub fn finds_products(&self) -> bool {
        self.path.starts_with("/search/products/")
    }

    /// Whether the operation changes nothing.
    pub fn is_read(&self) -> bool {
        self.method == "GET"
    }
}

impl Parameter {
    /// Returns the place of a keyword of the schema: a pointer that may pass references, for
    /// [`Contract::locate`](crate::Contract::locate).
    pub fn at(&self, keyword: &str) -> String {
        format!("{}/schema/{keyword}", self.pointer)
    }

    /// Returns the number of a keyword of the schema, such as `minimum`, `maximum` or `default`.
    ///
    /// # Panics
    /// When the schema has no such number, which is a bug in the caller.
    pub fn number(&self, keyword: &str) -> i64 {
        let number = self.schema[keyword].as_i64();
        number.unwrap_or_else(|| panic!("the parameter {} has no {keyword}", self.name))
    }
}
