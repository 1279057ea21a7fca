//! Rules for the bodies of errors.

use crate::cause;
use crate::resting::member_of_problem;
use crate::rules::subject::Subject;
use platform_contract::{Contract, Response as DeclaredResponse};

/// Checks the rules for every error body beyond its schema.
pub(super) fn check_problem(
    contract: &Contract,
    declared_response: &DeclaredResponse,
    path: &str,
    subject: &mut Subject<'_>,
) {
    let response = subject.response;
    let body = &response.body;
    if !body.is_object() {
        return;
    }
    if contract.errors_have("status") && body["status"] != response.status {
        subject.record_at(
            &member_of_problem("status"),
            "field status of the body",
            response.status.to_string(),
            body["status"].to_string(),
        );
        subject.because(cause::of_member("status", body));
    }
    let code = response.code().unwrap_or_default();
    let has_code = contract.errors_have("code");
    let is_known = declared_response.codes.is_empty() || declared_response.codes.contains(code);
    if has_code && !is_known {
        let codes: Vec<_> = declared_response.codes.iter().map(String::as_str).collect();
        subject.record_at(
            &member_of_problem("code"),
            match code {
                "" => "no error code".to_owned(),
                code => cause::of_code(code),
            },
            codes.join(" or "),
            response.summary(),
        );
        subject.because(match code {
            "" => cause::missing("code"),
            code => cause::of_code(code),
        });
    }
    let request_id = response.header("x-request-id");
    let has_id = contract.errors_have("request_id");
    if has_id && request_id.is_some() && body["request_id"].as_str() != request_id {
        let expected = format!(
            "the value of the header X-Request-Id, {}",
            request_id.unwrap_or_default()
        );
        subject.record_at(
            &member_of_problem("request_id"),
            "field request_id of the body",
            expected,
            body["request_id"].to_string(),
        );
        subject.because(cause::of_member("request_id", body));
    }
    let instance = body["instance"].as_str().unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let decoded = |text: &str| {
        percent_encoding::percent_decode_str(text)
            .decode_utf8_lossy()
            .into_owned()
    };
    // The base URL may have a path, which comes first.
    let is_the_path = instance.starts_with('/') && decoded(instance).ends_with(&decoded(path));
    if contract.errors_have("instance") && !is_the_path {
        subject.record_at(
            &member_of_problem("instance"),
            "field instance of the body",
            format!("the path that was requested, {path}"),
            instance,
        );
        subject.because(cause::of_member("instance", body));
    }
    let faults = body["errors"].as_array().map_or(0, Vec::len);
    let is_checked = has_code && is_known && contract.errors_have("errors");
    if is_checked && (code == "validation_failed") != (faults > 0) {
        let expected = "every error in the request if the code is validation_failed, otherwise none";
        subject.record_at(
            &member_of_problem("errors"),
            "field errors of the body",
            expected,
            format!("{faults} with the code {code}"),
        );
    }
}
