//! Who may call: the header `API-Key` on every operation, and what the policies of a key allow.
//!
//! No case in here can add anything: a request to add carries a body that names no organization.

use crate::support::any_operation::{call, leave, records};
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::target::Role;
use engine::verdict::Outcome;
use platform_contract::{Contract, Operation};

/// A text that is no deployment's key.
const NOBODY: &str = "not-a-key-of-any-deployment-0000";

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let mut cases: Vec<_> = contract
        .operations()
        .iter()
        .flat_map(of_operation)
        .collect();
    cases.sort_by(|one, other| one.id.cmp(&other.id));
    cases
}

fn of_operation(operation: &'static Operation) -> Vec<Case> {
    let id = &operation.id;
    let case = |rule: &str, title: &str, status: u16| {
        Case::new(
            format!("auth/{rule}/{id}"),
            format!("{id}: {title}"),
            operation.response_pointer(status),
        )
        .needs(needs(operation))
        .writes(u64::from(!operation.is_read()))
    };
    let permission = format!("{}/x-permission", operation.pointer);
    let mut cases = vec![
        case(
            "missing-key",
            "without a key it answers authentication_required",
            401,
        )
        .check(move |probe| refused(probe, operation, &[], "authentication_required")),
        case(
            "unknown-key",
            "with a key that is not known it answers invalid_api_key",
            401,
        )
        .led_by("/info", "So is a request with a key that is not known")
        .check(move |probe| refused(probe, operation, &[NOBODY], "invalid_api_key")),
        case("empty-key", "an empty key is none that is known", 401)
            .check(move |probe| empty_key(probe, operation)),
        case(
            "second-key",
            "a key that is known does not help one that is not",
            401,
        )
        .led_by("/info", "one with more than one API-Key header")
        .check(move |probe| second_key(probe, operation)),
        case(
            "no-access",
            "a key whose policies do not allow it is denied",
            403,
        )
        .and(permission.clone())
        .needs([Need::Key(Role::NoAccess)])
        .check(move |probe| denied(probe, operation, Role::NoAccess)),
    ];
    let read_only = [Need::Key(Role::ReadOnly)];
    cases.push(match operation.is_read() {
        true => case("read-only", "a key that may read is let through", 200)
            .and(permission)
            .needs(read_only)
            .check(move |probe| let_through(probe, operation)),
        false => case("read-only", "a key that may only read is denied", 403)
            .and(permission)
            .needs(read_only)
            .check(move |probe| denied(probe, operation, Role::ReadOnly)),
    });
    cases
}

/// What a valid request to the operation needs.
fn needs(operation: &'static Operation) -> Vec<Need> {
    records(operation).chain(leave(operation)).collect()
}

async fn refused(probe: Probe, operation: &Operation, keys: &[&str], code: &str) -> Outcome {
    let answer = call(&probe, operation)
        .await?
        .literal_keys(keys.iter().copied())
        .send()
        .await?;
    probe.expect(&answer).refused(401, code);
    Ok(())
}

/// Whether an empty header is no key or an unknown one is not said; that it is 401 is.
async fn empty_key(probe: Probe, operation: &Operation) -> Outcome {
    let answer = call(&probe, operation)
        .await?
        .literal_keys([""])
        .send()
        .await?;
    probe.expect(&answer).status(401);
    Ok(())
}

async fn second_key(probe: Probe, operation: &Operation) -> Outcome {
    let answer = call(&probe, operation)
        .await?
        .header("API-Key", NOBODY)
        .send()
        .await?;
    probe.expect(&answer).status(401);
    Ok(())
}

async fn denied(probe: Probe, operation: &Operation, role: Role) -> Outcome {
    let answer = call(&probe, operation).await?.key(role).send().await?;
    probe.expect(&answer).refused(403, "authorization_denied");
    Ok(())
}

async fn let_through(probe: Probe, operation: &Operation) -> Outcome {
    let answer = call(&probe, operation)
        .await?
        .key(Role::ReadOnly)
        .send()
        .await?;
    probe.expect(&answer).status(200);
    Ok(())
}
