//! Cases about the headers of every response, and about unknown routes and methods.

use std::collections::BTreeMap;

use engine::case::values::UNKNOWN_KEY;
use engine::case::{Case, Need};
use engine::rules::UNROUTED;
use engine::session::Probe;
use engine::session::presence::NO_ROUTE;
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// Routes that no deployment has, beside and below the routes of the contract.
const NO_ROUTES: [&str; 4] = [
    NO_ROUTE,
    "/platform-conformance-no-such-route-5f3a9c",
    // An error repeats it as it is, and not in lower case.
    "/search/platform-conformance-no-such-route-5F3A9C",
    "/api/v1/platform-conformance-no-such-route-5f3a9c/1/items",
];
/// The methods to send to a route; all but the first need permission to write.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// Headers `API-Key` that identify no caller: none, and an unknown key.
const NO_KEYS: [&[&str]; 2] = [&[], &[UNKNOWN_KEY]];
/// The sentence of the contract about the id of a request.
pub(crate) const REQUEST_ID: &str = "the one from the request, if it was well-formed, otherwise a new one";
/// Request ids that the response has to repeat.
pub(crate) const WELL_FORMED: [&str; 7] = [
    "1",
    "-a",
    ".a",
    "_a",
    "trace-7.b_2",
    "AZaz09._-",
    "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
];
/// Request ids that no response may repeat.
pub(crate) const MALFORMED: [&str; 6] = ["", "a b", "a,b", "<script>", "a/b", "a;b=c"];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let header = |id: &str, title: &str, name: &str| {
        let case = Case::new(format!("header/{id}"), title, format!("/components/headers/{name}"));
        case.on(["list_items"]).needs([Need::Pipeline(ManyItems)])
    };
    let text = |id: &str, title: &str, sentence: &str| {
        Case::quoting(format!("header/{id}"), title, "/info", sentence).on([UNROUTED])
    };
    let before_the_key = "Then 404 for an unknown route and 405 for an unknown method.";
    let other_methods = contract.operations().len() as u64 * (METHODS.len() as u64 - 1);
    vec![
        header(
            "request-id-is-kept",
            "The response repeats a well-formed X-Request-Id",
            "X-Request-Id",
        )
        .quote(REQUEST_ID)
        .point("request-id")
        .sends(45)
        .check(kept),
        header(
            "request-id-is-replaced",
            "Any other X-Request-Id is replaced by a new one",
            "X-Request-Id",
        )
        .quote(REQUEST_ID)
        .point("request-id")
        .sends(45)
        .check(replaced),
        header(
            "request-id-is-new",
            "Two requests without an id get different ones",
            "X-Request-Id",
        )
        .point("request-id")
        .check(new_ids),
        header(
            "not-stored",
            "Cache-Control forbids storing any response",
            "Cache-Control",
        )
        .point("cache-control")
        .check(not_stored),
        header(
            "www-authenticate",
            "401 names the authentication scheme",
            "WWW-Authenticate",
        )
        .point("www-authenticate")
        .check(www_authenticate),
        text(
            "unknown-route",
            "An unknown route gets 404 route_not_found",
            "An unknown route is rejected with 404 and the code route_not_found",
        )
        .point("unknown-route")
        .writes(NO_ROUTES.len() as u64)
        .check(unknown_route),
        text(
            "unknown-method",
            "A method that a route does not have gets 405 with the header Allow",
            "an unknown method of a known route is rejected with 405, the code method_not_allowed and the header \
                 Allow",
        )
        .sends(50)
        .writes(other_methods)
        .point("unknown-method")
        .check(unknown_method),
        text(
            "unknown-route-before-401",
            "Without a known key, an unknown route gets 404",
            before_the_key,
        )
        .point("precedence-404-401")
        .check(unknown_route_without_a_key),
        text(
            "unknown-method-before-401",
            "Without a key, a method that a route does not have gets 405",
            before_the_key,
        )
        .sends(50)
        .writes(other_methods)
        .point("precedence-405-401")
        .check(unknown_method_without_a_key),
    ]
}

/// Returns responses with several statuses to requests with these ids.
async fn with_id(probe: &Probe, ids: &[&str]) -> Result<Vec<HttpResponse>, Stop> {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let list = || {
        probe
            .call("list_items")
            .path("pipeline_id", pipeline_id)
            .query("limit", 1)
    };
    let calls = [
        list(),
        list().query("offset", 1),
        list().literal_keys([]),
        probe.route("GET", NO_ROUTE),
        probe.route("GET", &only_to_add(probe)),
    ];
    let mut responses = Vec::new();
    for call in calls {
        let call = ids.iter().fold(call, |call, id| call.header("X-Request-Id", id));
        responses.push(call.send().await?);
    }
    Ok(responses)
}

/// The route that adds to a pipeline, for a pipeline that does not exist: GET is an unknown method there.
pub fn only_to_add(probe: &Probe) -> String {
    let id = probe.unknown_id();
    format!("/api/v1/pipelines/{id}/organizations")
}

async fn kept(probe: Probe) -> Outcome {
    let longest = "x".repeat(128);
    for id in WELL_FORMED.into_iter().chain([longest.as_str()]) {
        for response in with_id(&probe, &[id]).await? {
            probe.expect(&response).header("X-Request-Id", id);
        }
    }
    Ok(())
}

async fn replaced(probe: Probe) -> Outcome {
    let too_long = "x".repeat(129);
    for id in MALFORMED.into_iter().chain([too_long.as_str()]) {
        for response in with_id(&probe, &[id]).await? {
            assert_another_id(&probe, &response, id);
        }
    }
    // A new id does not depend on the malformed one.
    let id = MALFORMED[1];
    let (first, second) = (with_id(&probe, &[id]).await?, with_id(&probe, &[id]).await?);
    for (one, other) in first.iter().zip(&second) {
        assert_apart(&probe, one, other);
    }
    Ok(())
}

pub(crate) fn assert_another_id(probe: &Probe, response: &HttpResponse, id: &str) {
    let seen = response.header("x-request-id").unwrap_or_default();
    // A new id is not the beginning of a long one.
    let is_cut = id.len() > 128 && id.starts_with(seen);
    let holds = !seen.is_empty() && seen != id && !is_cut;
    probe.assert(
        holds,
        "the header X-Request-Id",
        format!("a new id instead of {id:?}"),
        seen,
        &[response],
    );
}

async fn new_ids(probe: Probe) -> Outcome {
    let (first, second) = (with_id(&probe, &[]).await?, with_id(&probe, &[]).await?);
    for (one, other) in first.iter().zip(&second) {
        assert_apart(&probe, one, other);
    }
    Ok(())
}

/// Asserts that two responses have different ids.
pub(crate) fn assert_apart(probe: &Probe, one: &HttpResponse, other: &HttpResponse) {
    let (id, again) = (one.header("x-request-id"), other.header("x-request-id"));
    let holds = id.is_some() && again.is_some() && id != again;
    probe.assert(
        holds,
        "the ids of two responses",
        "two different ids",
        format!("{id:?} and {again:?}"),
        &[one, other],
    );
}

async fn not_stored(probe: Probe) -> Outcome {
    for response in with_id(&probe, &[]).await? {
        probe.expect(&response).header("Cache-Control", "no-store");
    }
    Ok(())
}

async fn www_authenticate(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    for keys in NO_KEYS {
        let call = probe.call("list_items").path("pipeline_id", pipeline_id);
        let response = call.literal_keys(keys.iter().copied()).send().await?;
        assert_challenge(&probe, &response);
    }
    Ok(())
}

/// Asserts that a 401 names a scheme for the header `API-Key`.
pub(crate) fn assert_challenge(probe: &Probe, response: &HttpResponse) {
    probe.assert(
        challenge_schemes(response).iter().any(|scheme| scheme == "apikey"),
        "the header WWW-Authenticate",
        "a scheme for API-Key, such as ApiKey",
        challenges(response).collect::<Vec<_>>().join(", "),
        &[response],
    );
}

/// The schemes of all challenges of a response, in lower case and without hyphens: the contract does not fix the
/// spelling of `ApiKey`, and a deployment may accept keys in other ways as well.
pub fn challenge_schemes(response: &HttpResponse) -> Vec<String> {
    let schemes = challenges(response).flat_map(schemes);
    schemes
        .map(|scheme| scheme.to_ascii_lowercase().replace('-', ""))
        .collect()
}

fn challenges(response: &HttpResponse) -> impl Iterator<Item = &str> {
    let fields = response.headers.get_all("www-authenticate").iter();
    fields.filter_map(|field| field.to_str().ok())
}

/// The schemes in a list of challenges (RFC 9110, section 11.6.1). A challenge may have parameters.
fn schemes(challenges: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let parts = challenges.split(move |letter| {
        is_quoted ^= letter == '"';
        letter == ',' && !is_quoted
    });
    // A parameter has an equals sign after its name.
    let words = parts.filter_map(|part| part.split_whitespace().next());
    words.filter(|word| !word.contains('='))
}

/// The methods that the run may send.
fn methods(probe: &Probe) -> impl Iterator<Item = &'static str> {
    let may_write = probe.may_write();
    let methods = METHODS.into_iter();
    methods.filter(move |method| *method == "GET" || may_write)
}

async fn unknown_route(probe: Probe) -> Outcome {
    for method in methods(&probe).take(2) {
        for path in NO_ROUTES {
            let response = probe.route(method, path).send().await?;
            probe.expect(&response).rejected(404, "route_not_found");
        }
    }
    Ok(())
}

async fn unknown_route_without_a_key(probe: Probe) -> Outcome {
    for keys in NO_KEYS {
        for path in NO_ROUTES {
            let call = probe.route("GET", path);
            let response = call.literal_keys(keys.iter().copied()).send().await?;
            probe.expect(&response).rejected(404, "route_not_found");
        }
    }
    Ok(())
}

/// Paths of the contract with methods that they do not have, and the methods that they have. A deployment that has
/// such a method anyway finds nothing to change.
fn wrong_methods(probe: &Probe) -> Vec<(&'static str, String, Vec<&str>)> {
    let contract = probe.contract();
    let mut routes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for operation in contract.operations() {
        let methods = routes.entry(&operation.path).or_default();
        methods.push(&operation.method);
    }
    let id = probe.unknown_id().to_string();
    let filled = |path: &str| {
        let segments = path.split('/').map(|segment| match segment {
            segment if segment.starts_with('{') => &id,
            segment => segment,
        });
        segments.collect::<Vec<_>>().join("/")
    };
    let wrong = routes.into_iter().flat_map(|(path, mut known)| {
        // HEAD is available wherever GET is.
        known.extend(known.contains(&"GET").then_some("HEAD"));
        let wrong = methods(probe).filter(|method| !known.contains(method));
        let path = filled(path);
        wrong
            .map(|method| (method, path.clone(), known.clone()))
            .collect::<Vec<_>>()
    });
    wrong.collect()
}

async fn unknown_method(probe: Probe) -> Outcome {
    for (method, path, known) in wrong_methods(&probe) {
        let response = probe.route(method, &path).send().await?;
        probe.expect(&response).rejected(405, "method_not_allowed");
        let allowed = response.header("allow").unwrap_or_default();
        let named: Vec<_> = allowed.split(',').map(str::trim).collect();
        let holds = known.iter().all(|method| named.contains(method)) && !named.contains(&method);
        probe.assert(holds, "the header Allow", known.join(", "), allowed, &[&response]);
    }
    Ok(())
}

async fn unknown_method_without_a_key(probe: Probe) -> Outcome {
    for (method, path, _) in wrong_methods(&probe) {
        let response = probe.route(method, &path).literal_keys([]).send().await?;
        probe.expect(&response).rejected(405, "method_not_allowed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scheme_is_what_begins_a_challenge() {
        let of = |challenges| schemes(challenges).collect::<Vec<_>>();
        let several = r#"Bearer realm="a, ApiKey b", error="x",ApiKey realm="y", header="API-Key", Negotiate"#;
        assert_eq!(of(several), ["Bearer", "ApiKey", "Negotiate"]);
        assert_eq!(of("API-Key"), ["API-Key"]);
        assert_eq!(of(""), [""; 0]);
    }
}
