//! `docs/errors.md` is generated from `x-problems` of the contract.

use std::fmt::Write;

use expect_test::expect_file;
use platform_contract::{Contract, Operation, Response};
use serde_json::Value;

const HEAD: &str = "\
<!-- Generated from openapi.yaml. Change `x-problems` there, then run
     `UPDATE_EXPECT=1 cargo test -p platform-contract --test it errors`. -->

# Errors

An error response is a problem document (RFC 9457). `code` is for programs: the list below is complete today and may grow.
`title` and `detail` are for people and may change. `errors` lists what is wrong with an invalid request, and
`request_id` is what support asks for. Every error also has the header `X-Request-Id`.

```json
";

const PROBLEMS: &str = "/components/schemas/ProblemCode/x-problems";

fn document(contract: &Contract) -> String {
    let mut text = HEAD.to_owned();
    let example = contract.get("/components/examples/InvalidParameters/value");
    let example = serde_json::to_string_pretty(example.unwrap()).unwrap();
    writeln!(text, "{example}\n```").unwrap();
    let problems = contract.get(PROBLEMS).and_then(Value::as_array).unwrap();
    text += "\n| status | code |\n|---|---|\n";
    for problem in problems {
        let (status, code) = (&problem["status"], code(problem));
        writeln!(text, "| {status} | [`{code}`](#{code}) |").unwrap();
    }
    for problem in problems {
        let texts = ["meaning", "remedy"].map(|name| problem[name].as_str().unwrap());
        write!(
            text,
            "\n## {}\n\nStatus {}. {}\n\n*What to do:* {}\n\n*Where:* {}.\n",
            code(problem),
            problem["status"],
            texts[0],
            texts[1],
            places(contract, problem),
        )
        .unwrap();
    }
    text
}

/// The code of an entry of `x-problems`.
fn code(problem: &Value) -> &str {
    problem["code"].as_str().unwrap()
}

/// Where the contract documents a response with the code.
fn places(contract: &Contract, problem: &Value) -> String {
    let code = code(problem);
    let has_code = |response: &Response| response.codes.contains(code);
    let responds = |operation: &&Operation| operation.responses.iter().any(has_code);
    let all = contract.operations();
    let of: Vec<_> = all.iter().map(AsRef::as_ref).filter(responds).collect();
    let mut places: Vec<_> = match of.len() == all.len() {
        true => vec!["all operations".to_owned()],
        false => of.iter().map(|it| format!("`{}`", it.id)).collect(),
    };
    let status = u16::try_from(problem["status"].as_u64().unwrap()).unwrap();
    if contract.early_response(status).as_ref().is_some_and(has_code) {
        places.push("requests that are rejected before they reach an operation".to_owned());
    }
    if contract.unrouted_response(status).as_ref().is_some_and(has_code) {
        places.push("requests that match no operation".to_owned());
    }
    assert!(!places.is_empty(), "no response has the code {code}");
    places.join(", ")
}

#[test]
fn page_of_errors_is_generated_from_the_contract() {
    // To update it, run the command in `HEAD`, then review the difference and commit it.
    expect_file!["../../../../docs/errors.md"].assert_eq(&document(Contract::bundled()));
}
