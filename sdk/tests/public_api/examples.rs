//! Every public item has an example.
//!
//! A type has its own example. A function or method is called in its own example or in that of its type,
//! `impl` block or module.

use std::collections::HashSet;

use serde_json::Value;

use crate::rustdoc::library;

#[test]
fn every_public_item_is_in_an_example() {
    let Some(sdk) = library(env!("CARGO_PKG_NAME")) else {
        return;
    };
    let json = sdk.json();
    let mut survey = Survey {
        index: &json["index"],
        seen: HashSet::new(),
        missing: Vec::new(),
    };
    survey.visit(&json["root"], &Place::default());
    assert!(survey.seen.len() > 80, "only {} types were found", survey.seen.len());
    assert!(
        survey.missing.is_empty(),
        "give these an example in their documentation:\n{}",
        survey.missing.join("\n")
    );
}

struct Survey<'a> {
    index: &'a Value,
    /// Types already visited: some are exported twice.
    seen: HashSet<String>,
    missing: Vec<String>,
}

/// The parent of an item.
#[derive(Clone, Default)]
struct Place {
    path: String,
    /// The example code of the parent and its ancestors.
    code: String,
}

impl Place {
    fn inside(&self, item: &Value) -> Self {
        let name = item["name"].as_str().unwrap_or_default();
        Self {
            path: format!("{}::{name}", self.path),
            code: format!("{}{}", self.code, code(item)),
        }
    }
}

impl Survey<'_> {
    fn visit(&mut self, id: &Value, place: &Place) {
        let id = id.to_string();
        let item = &self.index[&id];
        let Some((kind, inner)) = item["inner"].as_object().and_then(|inner| inner.iter().next()) else {
            return;
        };
        match kind.as_str() {
            "use" => self.visit(&inner["id"], place),
            "module" => self.visit_all(&inner["items"], &place.inside(item)),
            "struct" | "enum" | "trait" => {
                if !self.seen.insert(id) {
                    return;
                }
                let place = place.inside(item);
                if code(item).is_empty() {
                    self.missing.push(format!("{kind} {}", place.path));
                }
                self.visit_all(&inner["items"], &place);
                for block in inner["impls"].as_array().into_iter().flatten() {
                    let block = &self.index[block.to_string()];
                    let inner = &block["inner"]["impl"];
                    if inner["trait"].is_null() {
                        let place = Place {
                            code: format!("{}{}", place.code, code(block)),
                            ..place.clone()
                        };
                        self.visit_all(&inner["items"], &place);
                    }
                }
            }
            "function" => {
                let name = item["name"].as_str().unwrap_or_default();
                if !names(&format!("{}{}", place.code, code(item)), name) {
                    self.missing.push(format!("fn {}::{name}", place.path));
                }
            }
            _ => {}
        }
    }

    fn visit_all(&mut self, ids: &Value, place: &Place) {
        for id in ids.as_array().into_iter().flatten() {
            self.visit(id, place);
        }
    }
}

/// Returns the example code in an item's documentation.
fn code(item: &Value) -> String {
    let docs = item["docs"].as_str().unwrap_or_default();
    // Text and fenced code alternate.
    docs.split("```").skip(1).step_by(2).collect()
}

/// Returns whether `code` contains `name` as a word.
fn names(code: &str, name: &str) -> bool {
    let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == name)
}
