//! Cases about quotas: reported in every response, enforced when they are used up, and renewed after `Retry-After`.
//!
//! These cases use up the quota of the key of the role `rate_limited`, and of no other key.

use std::time::Duration;

use serde_json::json;

use crate::quota::{AT_ONCE, LARGEST_QUOTA, LONGEST_WAIT, Quota, ask, is_renewed_too_soon, until_renewed, use_up};
use engine::case::values::UNKNOWN_KEY;
use engine::case::{Case, Need, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::target::Role;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The limit on further attempts after the quota was renewed in the meantime.
const RENEWED: usize = 5;
/// How often an operation must succeed while the quota is used up, to have none.
const AGAIN: usize = 2;
/// How often a full quota is looked for.
const LOOKS: usize = 3;
/// How often two requests leave the same rest before it is no chance: one more may have become available in between.
const EQUAL: usize = 3;
/// The operations whose requests are counted one by one: of the two kinds of searches, and of single items.
const COUNTED: [&str; 3] = ["search_organizations_by_organization", SEARCH, "get_item_status"];
/// A search that takes a text.
const SEARCH: &str = "search_products_by_description";

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let header = |id: &str, title: &str, name: &str| {
        let case = Case::new(format!("rate-limit/{id}"), title, format!("/components/headers/{name}"));
        case.on(["list_items"])
            .point("rate-limit")
            .needs([Need::Key(Role::RateLimited), Need::Pipeline(ManyItems)])
    };
    // Several requests are concurrent, so the last ones may exceed the limit.
    let use_up = 2 * LARGEST_QUOTA.unsigned_abs() + 2 + AT_ONCE as u64;
    let rejected = Case::new(
        "rate-limit/every-operation",
        "When the quota is used up, every operation returns 429",
        "/components/responses/RateLimited",
    );
    let rejected = rejected.and_quote(
        "/info",
        "401, 429, 403, 415, 413, 422, 404 (pipeline), 400, 404 (organization), 409.",
    );
    let operations = contract.operations().iter();
    let rejected = operations.fold(rejected, |case, operation| case.and(operation.response_pointer(429)));
    vec![
        header(
            "is-told",
            "Responses to a key with a quota report how much is left and when it is renewed",
            "RateLimit",
        )
        .and("/components/headers/RateLimit-Policy")
        .check(reported),
        header(
            "policy-is-the-quota",
            "After its window without a request, a quota has as many requests as its policy says",
            "RateLimit-Policy",
        )
        .quote("The quota, in requests (q), and its window, in seconds (w).")
        .check(policy),
        header(
            "is-enforced",
            "A key gets as many responses as its quota allows, then 429 with Retry-After",
            "Retry-After",
        )
        .and("/components/responses/RateLimited")
        .sends(use_up)
        .check(enforced),
        header(
            "no-more-than-the-quota",
            "A key gets no more responses than are left of its quota",
            "RateLimit",
        )
        .and("/components/responses/RateLimited")
        .sends(RENEWED as u64 * (LARGEST_QUOTA.unsigned_abs() + 2))
        .check(no_more),
        rejected
            .needs([
                Need::Key(Role::RateLimited),
                Need::Pipeline(ManyItems),
                Need::Organization,
                Need::Product,
            ])
            .point("rate-limit")
            // The quota may be renewed in the meantime and used up again.
            .sends(3 * use_up)
            .writes((1 + RENEWED + AGAIN) as u64)
            .check(every_operation),
        Case::new(
            "rate-limit/comes-before-faults",
            "When the quota is used up, nothing else of a request is checked",
            contract.operation("list_items").response_pointer(429),
        )
        .primary_quote("/info", "401, 429, 403, 422, 404, 400.")
        .needs([Need::Key(Role::RateLimited), Need::Pipeline(ManyItems)])
        .point("rate-limit")
        .sends(2 * use_up)
        .check(faults_are_not_reported),
        Case::new(
            "rate-limit/key-is-looked-at-first",
            "When the quota is used up, a request without a key or with an unknown one still gets 401",
            contract.operation("list_items").response_pointer(401),
        )
        .primary_quote("/info", "401, 429, 403, 422, 404, 400.")
        .needs([Need::Key(Role::RateLimited), Need::Pipeline(ManyItems)])
        .point("rate-limit")
        .sends(2 * use_up + 3)
        .check(unknown_keys),
        Case::quoting(
            "rate-limit/refused-adds-nothing",
            "When the quota is used up, an organization that could be added is not",
            "/info",
            "a response of 4xx means that nothing was changed",
        )
        .and(contract.operation("add_organization").response_pointer(429))
        .on(["add_organization"])
        .needs([
            Need::Writes,
            Need::Key(Role::RateLimited),
            Need::Pipeline(ManyItems),
            Need::Pipeline(Writable),
        ])
        .point("rejected-addition")
        .adds(1)
        .writes(1)
        .sends(use_up + 4)
        .check(adds_nothing),
        header(
            "every-operation-counts",
            "A request to any operation leaves one request less",
            "RateLimit",
        )
        .quote("The remaining quota, in requests (r), and the number of seconds until it is renewed (t)")
        .on(COUNTED)
        .needs([Need::Organization])
        .sends((COUNTED.len() * RENEWED * 2) as u64)
        .check(every_operation_counts),
        header(
            "retry-after-is-long-enough",
            "After Retry-After seconds the key is accepted again",
            "Retry-After",
        )
        .and("/components/headers/RateLimit")
        .and("/components/headers/RateLimit-Policy")
        .sends(use_up + 3)
        .check(renewed),
    ]
}

/// Asserts that errors, HEAD and searches report the quota too: they count towards it like any response.
async fn reported_elsewhere(probe: &Probe) -> Outcome {
    let list_items = probe.contract().operation("list_items");
    let valid = || RequestTemplate::valid(list_items);
    let requests = [
        ("GET", valid().query("limit", 0)),
        ("GET", valid().of_unknown_record()),
        ("HEAD", valid()),
        ("GET", RequestTemplate::valid(probe.contract().operation(SEARCH))),
    ];
    for (method, request) in requests {
        let send = async || {
            let call = request.call(probe).await?.method(method);
            call.key(Role::RateLimited).send().await
        };
        let mut response = send().await?;
        if let Some(quota) = Quota::of(&response).filter(|_| response.status == 429) {
            probe.sleep(until_renewed(quota.seconds)).await?;
            response = send().await?;
        }
        let told = ["ratelimit", "ratelimit-policy"].map(|name| response.header(name));
        let seen = format!("{told:?}, with the status {}", response.status);
        let what = "the headers RateLimit and RateLimit-Policy of an error, of HEAD, and of a search";
        probe.assert(Quota::of(&response).is_some(), what, "both", seen, &[&response]);
    }
    Ok(())
}

/// Sends no request for longer than the window, so that the whole quota is left however it is renewed.
async fn policy(probe: Probe) -> Outcome {
    let before = ask(&probe).await?;
    let is_one = |name: &str| before.header(name).is_some_and(|header| !header.contains(','));
    let quota = Quota::of(&before).filter(|_| is_one("ratelimit") && is_one("ratelimit-policy"));
    let wait = quota.map(|quota| quota.window.max(quota.seconds) + 1);
    let longest = i64::try_from(LONGEST_WAIT).unwrap_or(i64::MAX);
    let Some(wait) = wait.filter(|wait| (1..=longest).contains(wait)) else {
        return probe.inconclusive(format!(
            "a single quota with a window of less than {LONGEST_WAIT} seconds"
        ));
    };
    let mut look = 1;
    loop {
        probe.sleep(until_renewed(wait)).await?;
        let response = ask(&probe).await?;
        let quota = Quota::of(&response);
        let is_full = quota.is_some_and(|quota| quota.left == quota.requests - 1);
        // A request that was sent again after trouble on the way counts twice.
        if !is_full && look < LOOKS {
            look += 1;
            continue;
        }
        probe.expect(&response).status(200);
        if let Some(quota) = quota {
            let expected = format!("{}, all but one of q", quota.requests - 1);
            let what = "the rest of the quota after a window without a request";
            probe.assert(is_full, what, expected, quota.left, &[&response]);
        }
        return Ok(());
    }
}

async fn reported(probe: Probe) -> Outcome {
    reported_elsewhere(&probe).await?;
    let mut before: Option<Quota> = None;
    for _ in 0..4 {
        let response = ask(&probe).await?;
        let seen = format!(
            "{:?} and {:?}",
            response.header("ratelimit"),
            response.header("ratelimit-policy")
        );
        let quota = Quota::of(&response);
        let makes_sense = quota.is_some_and(|quota| {
            (0..=quota.requests).contains(&quota.left) && (0..=quota.window).contains(&quota.seconds)
        });
        let expected = "r requests of q, renewed in t seconds of w";
        probe.assert(
            makes_sense,
            "the headers RateLimit and RateLimit-Policy",
            expected,
            &seen,
            &[&response],
        );
        let Some(quota) = quota else { continue };
        // A new window begins with a full quota.
        if let Some(before) = before.filter(|before| before.left > 0 && quota.seconds <= before.seconds) {
            let expected = format!("{}, one less than before", before.left - 1);
            let least = before.left - 1 - response.earlier_attempts();
            let counted = (least..before.left).contains(&quota.left) || quota.left == quota.requests - 1;
            probe.assert(counted, "the rest of the quota", expected, &seen, &[&response]);
        }
        before = Some(quota);
    }
    Ok(())
}

async fn enforced(probe: Probe) -> Outcome {
    let responses = use_up(&probe).await?;
    let Some((last, before)) = responses.split_last() else {
        return Ok(());
    };
    if last.status != 429 && is_renewed_too_soon(&responses) {
        return probe.inconclusive("a quota that can be used up before it is renewed");
    }
    probe.expect(last).rejected(429, "rate_limited");
    for response in before.iter().filter(|response| response.status != 429) {
        probe.expect(response).status(200);
    }
    // Without a rest of zero before it, the refusal came too early or the rest was too high. The response with the rest
    // of zero may be one that was lost on the way.
    let lost: i64 = responses.iter().map(HttpResponse::earlier_attempts).sum();
    let accepted = before.iter().filter(|response| response.status == 200);
    let least = accepted.filter_map(|response| Some((Quota::of(response)?.left, response)));
    if let Some((left, response)) = least.min_by_key(|(left, _)| *left) {
        probe.assert(
            (0..=lost).contains(&left),
            "the rest of the quota after its last request",
            0,
            left,
            &[response, last],
        );
    }
    let seconds = last.header("retry-after").and_then(|text| text.parse::<i64>().ok());
    let quota = Quota::of(last);
    // A deployment may round up, or wait a little longer than the quota does. Longer than two windows it is not the
    // time until a renewal, or not in seconds.
    let longest = quota.map_or(i64::MAX, |quota| quota.window.max(quota.seconds).saturating_mul(2) + 1);
    let holds = seconds.is_some_and(|seconds| (1..=longest).contains(&seconds));
    let seen = format!("{:?}", last.header("retry-after"));
    probe.assert(
        holds,
        "the header Retry-After",
        format!("1 to {longest} seconds"),
        seen,
        &[last],
    );
    let left = quota.map(|quota| quota.left);
    probe.assert(
        left == Some(0),
        "the rest of the quota",
        0,
        format!("{left:?}"),
        &[last],
    );
    Ok(())
}

/// Sends requests one after the other, as long as the rest of the quota does not grow: so the quota is not renewed at
/// once. It may grow steadily, by its requests for each of its windows.
async fn no_more(probe: Probe) -> Outcome {
    for _ in 0..RENEWED {
        let start = probe.elapsed();
        let first = ask(&probe).await?;
        let Some(quota) = Quota::of(&first).filter(|quota| first.status == 200 && quota.left > 0) else {
            let wait = Quota::of(&first).map_or(1, |quota| quota.seconds);
            probe.sleep(until_renewed(wait)).await?;
            continue;
        };
        if quota.requests > LARGEST_QUOTA {
            return probe.inconclusive(format!("a quota of {LARGEST_QUOTA} requests or less"));
        }
        let (mut left, mut accepted, mut last) = (quota.left, 0, first.clone());
        let is_renewed = loop {
            let response = ask(&probe).await?;
            let rest = Quota::of(&response).map_or(0, |quota| quota.left);
            if response.status != 200 || accepted > quota.left {
                break false;
            }
            if rest > left {
                break true;
            }
            (left, accepted, last) = (rest, accepted + 1, response);
        };
        if is_renewed {
            continue;
        }
        let seconds = (probe.elapsed() - start).as_secs_f64();
        let steadily = seconds * quota.requests as f64 / quota.window.max(1) as f64;
        let most = quota.left + steadily.floor() as i64;
        probe.assert(
            accepted <= most,
            &format!("the responses after one with r={}", quota.left),
            format!("{most} at most, then 429"),
            accepted,
            &[&first, &last],
        );
        return Ok(());
    }
    probe.inconclusive("a quota that can be used up before it is renewed")
}

async fn every_operation(probe: Probe) -> Outcome {
    // A run that only reads checks the operations that read.
    let operations = probe.contract().operations().iter();
    for operation in operations.filter(|operation| operation.is_read() || probe.may_write()) {
        let response = when_used_up(&probe, &RequestTemplate::valid(operation)).await?;
        // The quota is checked before the policies: the key may be one that must not add.
        probe.expect(&response).rejected(429, "rate_limited");
    }
    // The schemas of error responses require Retry-After, but HEAD is none of the operations.
    let list_items = probe.contract().operation("list_items");
    let head = when_used_up_with(&probe, &RequestTemplate::valid(list_items), Some("HEAD")).await?;
    if head.status == 429 {
        let seen = head.header("retry-after").unwrap_or_default();
        probe.assert(
            !seen.is_empty(),
            "the header Retry-After of HEAD",
            "as with GET",
            seen,
            &[&head],
        );
    }
    Ok(())
}

/// Sends a request with an error that would get 422.
async fn faults_are_not_reported(probe: Probe) -> Outcome {
    let list_items = probe.contract().operation("list_items");
    let request = RequestTemplate::valid(list_items).query("limit", 0);
    let response = when_used_up(&probe, &request).await?;
    probe.expect(&response).rejected(429, "rate_limited");
    Ok(())
}

/// A deployment that also limits addresses may reject requests without a known key: then it rejects the key with full
/// access too.
async fn unknown_keys(probe: Probe) -> Outcome {
    let valid = RequestTemplate::valid(probe.contract().operation("list_items"));
    let used_up = when_used_up(&probe, &valid).await?;
    let other = valid.call(&probe).await?.without_waiting().send().await?;
    if used_up.status != 429 || other.status == 429 {
        return probe.inconclusive("a quota of one key that can be used up before it is renewed");
    }
    let keys: [(&[&str], _); 2] = [(&[], "authentication_required"), (&[UNKNOWN_KEY], "invalid_api_key")];
    for (texts, code) in keys {
        let call = valid.call(&probe).await?.literal_keys(texts.iter().copied());
        let response = call.without_waiting().send().await?;
        probe.expect(&response).rejected(401, code);
    }
    Ok(())
}

/// Names an organization that could be added. Elsewhere nothing that is rejected does.
async fn adds_nothing(probe: Probe) -> Outcome {
    let before = probe.count_items(Writable).await?;
    let organization = probe.organization_to_add()?;
    use_up(&probe).await?;
    let call = probe
        .call("add_organization")
        .path("pipeline_id", probe.pipeline(Writable)?);
    let call = call.json(&json!({ "organization_id": organization }));
    let response = call.key(Role::RateLimited).send().await?;
    if response.status != 429 {
        return probe.inconclusive("a quota that can be used up before it is renewed");
    }
    probe.assert_items_added(Writable, &before, 0, Some(&response)).await
}

/// Returns the response to a request when the quota is used up. The quota may be renewed before the request: as long
/// as the response shows that, it is used up again.
async fn when_used_up(probe: &Probe, request: &RequestTemplate) -> Result<HttpResponse, Stop> {
    when_used_up_with(probe, request, None).await
}

/// Does the same with another method.
async fn when_used_up_with(
    probe: &Probe,
    request: &RequestTemplate,
    method: Option<&str>,
) -> Result<HttpResponse, Stop> {
    let ask = || async {
        let call = request.call(probe).await?;
        let call = match method {
            Some(method) => call.method(method),
            None => call,
        };
        call.key(Role::RateLimited).send().await
    };
    let mut response = ask().await?;
    for time in 0..RENEWED {
        let is_renewed = Quota::of(&response).is_some_and(|quota| quota.left > 0 || quota.requests == 1);
        if response.status == 429 || (time > 0 && !is_renewed) {
            break;
        }
        use_up(probe).await?;
        response = ask().await?;
    }
    // The request may have taken the last of a renewed quota. An operation without a quota succeeds again and again
    // while the quota is used up.
    for _ in 0..AGAIN {
        if response.status == 429 {
            break;
        }
        if self::ask(probe).await?.status != 429 {
            return Err(Stop::Inconclusive(
                "a quota that can be used up before it is renewed".to_owned(),
            ));
        }
        response = ask().await?;
    }
    Ok(response)
}

/// Sends requests in pairs. The quota may be renewed between two of them, all at once or steadily.
async fn every_operation_counts(probe: Probe) -> Outcome {
    let mut compared = false;
    for operation in COUNTED {
        let request = RequestTemplate::valid(probe.contract().operation(operation)).key(Role::RateLimited);
        let mut equal = 0;
        for _ in 0..RENEWED {
            let start = probe.elapsed();
            let first = request.call(&probe).await?.send().await?;
            let second = request.call(&probe).await?.send().await?;
            let passed = (probe.elapsed() - start).as_secs_f64();
            let [Some(before), Some(after)] = [&first, &second].map(Quota::of) else {
                break;
            };
            if second.status == 429 {
                probe.sleep(until_renewed(after.seconds)).await?;
                continue;
            }
            // A quota that is renewed in between is whole.
            let is_renewed = after.left == after.requests - 1 && passed + 1.0 >= before.seconds as f64;
            equal += usize::from(after.left == before.left && !is_renewed);
            if after.left < before.left || equal == EQUAL {
                compared = true;
                let what = format!("r after another request to {operation}");
                let expected = format!("less than {}", before.left);
                probe.assert(
                    after.left < before.left,
                    &what,
                    expected,
                    after.left,
                    &[&first, &second],
                );
                break;
            }
        }
    }
    match compared {
        true => Ok(()),
        false => probe.inconclusive("an operation that reports a quota"),
    }
}

async fn renewed(probe: Probe) -> Outcome {
    let start = probe.elapsed();
    let responses = use_up(&probe).await?;
    let Some(last) = responses.last().filter(|response| response.status == 429) else {
        return probe.inconclusive("a quota that can be used up");
    };
    let seconds = last.header("retry-after").and_then(|text| text.parse().ok());
    let Some(seconds) = seconds.filter(|seconds| *seconds <= LONGEST_WAIT) else {
        return probe.inconclusive(format!("a Retry-After of {LONGEST_WAIT} seconds or less"));
    };
    if let Some(quota) = Quota::of(last).filter(|quota| quota.seconds.unsigned_abs() + 1 < seconds) {
        probe.sleep(until_renewed(quota.seconds + 1)).await?;
        let early = ask(&probe).await?;
        probe.assert_at(
            "/components/headers/RateLimit",
            early.status != 429,
            &format!("the response after t={} seconds and one more", quota.seconds),
            "another than 429: the quota is renewed",
            early.summary(),
            &[last, &early],
        );
    }
    // A request that is refused in between does not make the client wait longer.
    let half = Duration::from_secs(seconds) / 2;
    probe.sleep(half).await?;
    let mut response = ask(&probe).await?;
    if response.status == 429 {
        probe.sleep(Duration::from_secs(seconds) - half).await?;
        response = ask(&probe).await?;
    }
    probe.expect(&response).status(200);
    // A quota that is whole again was used up a window ago, or has a window before it.
    let whole = Quota::of(&response).filter(|quota| quota.requests > 1 && quota.left == quota.requests - 1);
    if let Some(quota) = whole {
        let passed = (probe.elapsed() - start).as_secs_f64().ceil() as i64;
        let longest = 2 * passed.max(quota.seconds) + 1;
        probe.assert_at(
            "/components/headers/RateLimit-Policy",
            quota.window <= longest,
            &format!("the window of a quota that is whole after {passed} seconds"),
            format!("{longest} seconds at most"),
            quota.window,
            &[last, &response],
        );
        if let Some(used_up) = Quota::of(last) {
            probe.assert_at(
                "/components/headers/RateLimit",
                used_up.seconds <= passed + 1,
                &format!("t of the refusal, of a quota that is whole after {passed} seconds"),
                format!("{} seconds at most", passed + 1),
                used_up.seconds,
                &[last, &response],
            );
        }
    }
    Ok(())
}
