//! The problem codes, each with its status, title and meaning in the contract (`x-problems`).

use platform_contract::Contract;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::names::pascal_case;

const POINTER: &str = "/components/schemas/ProblemCode";

/// Returns the text of `problem_code.rs`.
pub(crate) fn codes(contract: &Contract) -> Result<String> {
    let fault = |pointer: &str, why: String| Error::at(contract, pointer, why);
    let schema = contract
        .get(POINTER)
        .ok_or_else(|| fault("/components/schemas", "has no ProblemCode".to_owned()))?;
    let codes = schema["enum"].as_array();
    let codes = codes.ok_or_else(|| fault(POINTER, "is not a list of codes (`enum`)".to_owned()))?;
    let problems = schema["x-problems"].as_array();
    let problems = problems
        .map(Vec::as_slice)
        .ok_or_else(|| fault(POINTER, "has no x-problems".to_owned()))?;
    let (mut variants, mut parts) = (String::new(), String::new());
    for code in codes.iter().filter_map(Value::as_str) {
        let mut entries = problems.iter().enumerate();
        let found = entries.find(|(_, problem)| problem["code"] == code);
        let (index, problem) = found.ok_or_else(|| fault(POINTER, format!("x-problems does not explain `{code}`")))?;
        let pointer = format!("{POINTER}/x-problems/{index}");
        let meaning = problem["meaning"].as_str();
        let meaning = meaning.ok_or_else(|| fault(&pointer, format!("`{code}` has no meaning")))?;
        let status = problem["status"].as_u64();
        let status = status.ok_or_else(|| fault(&pointer, format!("`{code}` has no status")))?;
        let title = title(contract.document(), code)
            .ok_or_else(|| fault(&pointer, format!("no example of a response has the title of `{code}`")))?;
        let name = pascal_case(code);
        variants.push_str(&format!("        /// {meaning}\n        {name} = {code:?},\n"));
        parts.push_str(&format!("        ProblemCode::{name} => ({status}, {title:?}),\n"));
    }
    Ok(format!(
        "//! The codes of problems.\n\n\
         crate::types::open_enums::open_enum! {{\n    \
         /// Kind of a problem, for programs.\n    \
         ProblemCode {{\n{variants}    }}\n}}\n\n\
         /// Returns the status and the title of a code; 400 for an unknown one.\n\
         #[cfg(feature = \"mock\")]\n\
         pub(crate) fn problem(code: &ProblemCode) -> (u16, &'static str) {{\n    match code {{\n{parts}        \
         ProblemCode::Unknown(_) => (400, \"Another problem\"),\n    }}\n}}\n"
    ))
}

/// Finds the title of a code in the contract's examples.
fn title<'a>(node: &'a Value, code: &str) -> Option<&'a str> {
    match node {
        Value::Object(members) => {
            if node["code"] == code
                && let Some(title) = node["title"].as_str()
            {
                return Some(title);
            }
            members.values().find_map(|node| title(node, code))
        }
        Value::Array(items) => items.iter().find_map(|node| title(node, code)),
        _ => None,
    }
}
