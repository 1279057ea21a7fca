//! The facts of the contract that complete the generated code, read once.

use std::collections::BTreeMap;

use platform_contract::Contract as Source;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::names::name_of;
use crate::samples;

/// The parts of the contract that later steps need.
pub(crate) struct Contract {
    pub(crate) operations: Vec<Operation>,
    /// The component schemas, unchanged.
    schemas: Map<String, Value>,
}

/// One operation, with its parameters in the order of the contract.
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) method: String,
    pub(crate) path: String,
    /// Whether sending the request twice has the same effect as sending it once.
    pub(crate) is_idempotent: bool,
    /// The statuses after which a retry is safe.
    pub(crate) retryable_statuses: Vec<u16>,
    pub(crate) timeout_seconds: u64,
    pub(crate) parameters: Vec<Parameter>,
    /// The properties of the body, each with an example; empty without a body.
    pub(crate) body: BTreeMap<String, Value>,
    /// The name of the body's schema.
    pub(crate) body_type: Option<String>,
    pub(crate) success: Success,
}

pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) example: Value,
    /// Whether the value is text written by a user, which must not appear in an error.
    pub(crate) is_free_text: bool,
}

/// The successful response of an operation.
pub(crate) struct Success {
    pub(crate) status: u16,
    /// The schema of the response; `None` for a response without a body.
    pub(crate) schema: Option<String>,
}

impl Contract {
    /// Reads a document.
    ///
    /// # Errors
    /// An operation lacks its call policy (`x-idempotent`, `x-retryable-statuses`, `x-timeout-seconds`) or a
    /// successful response, or a parameter has neither a name nor a description.
    pub(crate) fn read(source: &Source) -> Result<Self> {
        let operations = source.operations().iter();
        let schemas = source.document()["components"]["schemas"].as_object();
        Ok(Self {
            operations: operations
                .map(|operation| Operation::read(source, operation))
                .collect::<Result<_>>()?,
            schemas: schemas.cloned().unwrap_or_default(),
        })
    }

    /// Returns the operation with a body of this type.
    pub(crate) fn with_body(&self, name: &str) -> Option<&Operation> {
        let mut operations = self.operations.iter();
        operations.find(|operation| operation.body_type.as_deref() == Some(name))
    }

    pub(crate) fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// Returns the component schema of a generated type.
    pub(crate) fn schema(&self, name: &str) -> Result<&Value> {
        self.schemas.get(name).ok_or_else(|| {
            let why = "no such schema exists, but progenitor generates a type of this name: give the inline schema \
                       that it comes from a name, as a component";
            Error::of_schema(name, why)
        })
    }

    /// Returns the schema of a property, from any part of an object schema.
    pub(crate) fn property<'a>(&'a self, schema: &'a Value, name: &str) -> Option<&'a Value> {
        let schema = self.resolved(schema);
        match schema["allOf"].as_array() {
            Some(parts) => parts.iter().find_map(|part| self.property(part, name)),
            None => schema["properties"].get(name),
        }
    }

    /// Returns the schema that `schema` refers to, or `schema` itself.
    pub(crate) fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let referred = |reference| self.schemas.get(name_of(reference));
        schema["$ref"].as_str().and_then(referred).unwrap_or(schema)
    }
}

impl Operation {
    fn read(source: &Source, operation: &platform_contract::Operation) -> Result<Self> {
        let id = operation.id.clone();
        let pointer = &operation.pointer;
        let fault = |why: String| Error::of_operation(source, &id, pointer, why);
        let node = source.get(pointer).unwrap_or(&Value::Null);
        let policy = |name: &str| {
            let value = node.get(name);
            value.ok_or_else(|| fault(format!("has no {name}")))
        };
        let (idempotent, retryable, timeout) = ("x-idempotent", "x-retryable-statuses", "x-timeout-seconds");
        let is_idempotent = policy(idempotent)?.as_bool();
        let statuses = policy(retryable)?.as_array().cloned().unwrap_or_default();
        let statuses = statuses.iter().map(|status| status.as_u64()?.try_into().ok());
        let timeout_seconds = policy(timeout)?.as_u64();
        let media = &node["requestBody"]["content"]["application/json"];
        let example = media["examples"]
            .as_object()
            .and_then(|examples| examples.values().next())
            .map(|example| source.resolve(example)["value"].clone());
        let body_type = media["schema"]["$ref"].as_str().map(name_of);
        let body = match (example, body_type) {
            (None, Some(_)) => samples::invented(source, &media["schema"]),
            (example, _) => example.unwrap_or_default(),
        };
        let parameters = operation.parameters.iter();
        Ok(Self {
            method: operation.method.clone(),
            path: operation.path.clone(),
            is_idempotent: is_idempotent.ok_or_else(|| fault(format!("{idempotent} is not true or false")))?,
            retryable_statuses: statuses
                .collect::<Option<_>>()
                .ok_or_else(|| fault(format!("{retryable} is not a list of statuses")))?,
            timeout_seconds: timeout_seconds.ok_or_else(|| fault(format!("{timeout} is not a number of seconds")))?,
            parameters: parameters
                .map(|parameter| Parameter::read(source, &id, parameter))
                .collect::<Result<_>>()?,
            body: body.as_object().cloned().unwrap_or_default().into_iter().collect(),
            body_type: body_type.map(str::to_owned),
            success: Success::read(source, operation)?,
            id,
        })
    }
}

impl Parameter {
    fn read(source: &Source, operation: &str, parameter: &platform_contract::Parameter) -> Result<Self> {
        let node = source.get(&parameter.pointer).unwrap_or(&Value::Null);
        let name = parameter.name.clone();
        let described = node["description"].as_str().ok_or_else(|| {
            let why = format!("the parameter {name} has no description");
            Error::of_operation(source, operation, &parameter.pointer, why)
        })?;
        let example = node
            .get("example")
            .or_else(|| node.get("x-example"))
            .or_else(|| Some(&node["examples"].as_object()?.values().next()?["value"]))
            .cloned();
        let schema = &parameter.schema;
        // A pattern for the whole value means an id or a code.
        let is_code = schema["pattern"]
            .as_str()
            .is_some_and(|pattern| pattern.starts_with('^') && pattern.ends_with('$'));
        let is_bound = is_code || schema.get("enum").is_some() || schema.get("format").is_some();
        Ok(Self {
            is_free_text: schema["type"] == "string" && !is_bound,
            description: described.trim().to_owned(),
            example: example.unwrap_or_else(|| samples::invented(source, &node["schema"])),
            name,
        })
    }
}

impl Success {
    fn read(source: &Source, operation: &platform_contract::Operation) -> Result<Self> {
        let id = &operation.id;
        let responses = operation.responses.iter();
        let mut successes = responses.filter(|response| response.status.starts_with('2'));
        let fault = |pointer: &str, why: &str| Error::of_operation(source, id, pointer, why);
        let success = successes
            .next()
            .ok_or_else(|| fault(&operation.pointer, "has no success response"))?;
        if let Some(another) = successes.next() {
            let why = "is a second success response; a client expects exactly one";
            return Err(fault(&another.pointer, why));
        }
        let status = success.status.parse().map_err(|_| {
            fault(
                &success.pointer,
                "the status of a success must be one number, not a range",
            )
        })?;
        let content = success.content.iter();
        let json = content.clone().find(|(name, _)| name == "application/json");
        let schema = match (json, success.content.is_empty()) {
            (Some((_, schema)), _) => Some(schema["$ref"].as_str().map(name_of).ok_or_else(|| {
                fault(
                    &success.pointer,
                    "the schema of the response needs a name, as a component",
                )
            })?),
            (None, true) => None,
            (None, false) => {
                return Err(fault(&success.pointer, "the response is not application/json"));
            }
        };
        Ok(Self {
            status,
            schema: schema.map(str::to_owned),
        })
    }
}
