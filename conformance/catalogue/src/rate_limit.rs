//! Quotas: told while they last, enforced when they are used up, and renewed when `Retry-After` says.
//!
//! These cases use up the quota of the key of the role `rate_limited`, and of no other.

use std::time::Duration;

use futures::future::try_join_all;

use crate::support::any_operation::call;
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::target::Role;
use engine::transport::client::Answer;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

/// The most requests that are sent to use up a quota.
const LARGEST_QUOTA: i64 = 200;
/// How many requests are sent at once to use up a quota.
const AT_ONCE: usize = 4;
/// How often a quota may be renewed while a request is on its way.
const RENEWED: usize = 5;
/// The longest wait for a quota to be renewed, in seconds.
const LONGEST_WAIT: u64 = 30;

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let header = |id: &str, title: &str, name: &str| {
        let case = Case::new(
            format!("rate-limit/{id}"),
            title,
            format!("/components/headers/{name}"),
        );
        case.on(["list_items"])
            .needs([Need::Key(Role::RateLimited), Need::Pipeline(ManyItems)])
    };
    // The last that are sent at once may be too many.
    let use_up = 2 * LARGEST_QUOTA.unsigned_abs() + 2 + AT_ONCE as u64;
    let refused = Case::new(
        "rate-limit/every-operation",
        "When the quota is used up, every operation answers 429",
        "/components/responses/RateLimited",
    );
    let operations = contract.operations().iter();
    let refused = operations.fold(refused, |case, operation| {
        case.and(operation.response_pointer(429))
    });
    vec![
        header(
            "is-told",
            "Answers to a key with a quota tell what is left of it and when it is renewed",
            "RateLimit",
        )
        .and("/components/headers/RateLimit-Policy")
        .check(told),
        header(
            "is-enforced",
            "A key gets as many answers as its quota says, then 429 with Retry-After",
            "Retry-After",
        )
        .and("/components/responses/RateLimited")
        .sends(use_up)
        .check(enforced),
        refused
            .needs([
                Need::Key(Role::RateLimited),
                Need::Pipeline(ManyItems),
                Need::Organization,
                Need::Product,
            ])
            // The quota may be renewed, and used up again, on the way.
            .sends(3 * use_up)
            .writes(1 + RENEWED as u64)
            .check(move |probe| every_operation(probe, contract.operations())),
        Case::new(
            "rate-limit/comes-before-faults",
            "When the quota is used up, nothing else of a request is looked at",
            contract.operation("list_items").response_pointer(429),
        )
        .led_by("/info", "401, 429, 403, 422, 404, 400.")
        .needs([Need::Key(Role::RateLimited), Need::Pipeline(ManyItems)])
        .sends(2 * use_up)
        .check(faults_are_not_told),
        header(
            "retry-after-is-long-enough",
            "After Retry-After seconds the key is answered again",
            "Retry-After",
        )
        .sends(use_up + 1)
        .check(renewed),
    ]
}

/// What the two headers say of a quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Quota {
    left: i64,
    seconds: i64,
    requests: i64,
    window: i64,
}

impl Quota {
    fn of(answer: &Answer) -> Option<Self> {
        let limit = answer.header("ratelimit")?;
        let policy = answer.header("ratelimit-policy")?;
        Some(Self {
            left: number(limit, "r")?,
            seconds: number(limit, "t")?,
            requests: number(policy, "q")?,
            window: number(policy, "w")?,
        })
    }
}

/// The number that a parameter of a structured header has: `"default";r=42;t=7`.
fn number(header: &str, name: &str) -> Option<i64> {
    let mut parameters = header.split(';').skip(1).map(str::trim);
    parameters.find_map(|parameter| {
        parameter
            .strip_prefix(name)?
            .strip_prefix('=')?
            .parse()
            .ok()
    })
}

async fn ask(probe: &Probe) -> Result<Answer, Stop> {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let call = probe
        .call("list_items")
        .path("pipeline_id", pipeline_id)
        .query("limit", 1);
    call.key(Role::RateLimited).send().await
}

async fn told(probe: Probe) -> Outcome {
    let mut before: Option<Quota> = None;
    for _ in 0..4 {
        let answer = ask(&probe).await?;
        let seen = format!(
            "{:?} and {:?}",
            answer.header("ratelimit"),
            answer.header("ratelimit-policy")
        );
        let quota = Quota::of(&answer);
        let makes_sense = quota.is_some_and(|quota| {
            (0..=quota.requests).contains(&quota.left)
                && (0..=quota.window).contains(&quota.seconds)
        });
        let expected = "r requests of q, renewed in t seconds of w";
        probe.assert(
            makes_sense,
            "the headers RateLimit and RateLimit-Policy",
            expected,
            &seen,
            &[&answer],
        );
        let Some(quota) = quota else { continue };
        // In a new window the count begins again.
        if let Some(before) =
            before.filter(|before| before.left > 0 && quota.seconds <= before.seconds)
        {
            let expected = format!("{}, one less than before", before.left - 1);
            let counted = quota.left == before.left - 1 || quota.left == quota.requests - 1;
            probe.assert(counted, "what is left", expected, &seen, &[&answer]);
        }
        before = Some(quota);
    }
    Ok(())
}

/// Asks until the quota is used up, several times at once, since it may be renewed every second: the answers,
/// those of 429 last.
async fn use_up(probe: &Probe) -> Result<Vec<Answer>, Stop> {
    let mut answers = vec![ask(probe).await?];
    let quota = answers
        .first()
        .and_then(Quota::of)
        .map_or(LARGEST_QUOTA, |quota| quota.requests);
    if quota > LARGEST_QUOTA {
        return Err(Stop::Inconclusive(format!(
            "a quota of {LARGEST_QUOTA} requests or less"
        )));
    }
    // The window may be renewed once on the way.
    let most = usize::try_from(2 * quota + 2).unwrap_or(usize::MAX);
    while answers.iter().all(|answer| answer.status != 429) && answers.len() < most {
        answers.extend(try_join_all((0..AT_ONCE).map(|_| ask(probe))).await?);
    }
    answers.sort_by_key(|answer| answer.status == 429);
    Ok(answers)
}

/// Whether a quota was never used up because it was renewed again and again on the way.
fn is_renewed_too_soon(answers: &[Answer]) -> bool {
    let left: Vec<_> = answers
        .iter()
        .filter_map(|answer| Some(Quota::of(answer)?.left))
        .collect();
    // Answers to requests at once may have changed places.
    let at_once = i64::try_from(AT_ONCE).unwrap_or(i64::MAX);
    let renewed = left
        .windows(2)
        .filter(|pair| pair[1] > pair[0] + at_once)
        .count();
    // Who has nothing left and is answered all the same has a quota that is not enforced.
    renewed > 1 && left.iter().filter(|left| **left == 0).count() <= renewed
}

async fn enforced(probe: Probe) -> Outcome {
    let answers = use_up(&probe).await?;
    let Some((last, before)) = answers.split_last() else {
        return Ok(());
    };
    if last.status != 429 && is_renewed_too_soon(&answers) {
        return probe.inconclusive("a quota that can be used up before it is renewed");
    }
    probe.expect(last).refused(429, "rate_limited");
    for answer in before.iter().filter(|answer| answer.status != 429) {
        probe.expect(answer).status(200);
    }
    let seconds = last
        .header("retry-after")
        .and_then(|text| text.parse::<i64>().ok());
    let quota = Quota::of(last);
    let window = quota.map_or(i64::MAX, |quota| quota.window);
    let holds = seconds.is_some_and(|seconds| (1..=window).contains(&seconds));
    let seen = format!("{:?}", last.header("retry-after"));
    probe.assert(
        holds,
        "the header Retry-After",
        format!("1 to {window} seconds"),
        seen,
        &[last],
    );
    let left = quota.map(|quota| quota.left);
    probe.assert(
        left == Some(0),
        "what is left",
        0,
        format!("{left:?}"),
        &[last],
    );
    Ok(())
}

async fn every_operation(probe: Probe, operations: &[Operation]) -> Outcome {
    // A run that may only read looks at the operations that do.
    let asked = |operation: &&Operation| operation.is_read() || probe.may_write();
    for operation in operations.iter().filter(asked) {
        let answer = when_used_up(&probe, operation, &[]).await?;
        // Whether a quota or the policies are looked at first is not said.
        if answer.status != 403 || operation.is_read() {
            probe.expect(&answer).refused(429, "rate_limited");
        }
    }
    Ok(())
}

/// A request with a fault that would be answered 422.
async fn faults_are_not_told(probe: Probe) -> Outcome {
    let list_items = probe.contract().operation("list_items");
    let answer = when_used_up(&probe, list_items, &[("limit", "0")]).await?;
    probe.expect(&answer).refused(429, "rate_limited");
    Ok(())
}

/// The answer of an operation when the quota is used up, to a request with these parameters. The quota may be renewed on the way to it: as long
/// as the answer says so, it is used up again.
async fn when_used_up(
    probe: &Probe,
    operation: &Operation,
    parameters: &[(&str, &str)],
) -> Result<Answer, Stop> {
    let ask = || async {
        let call = call(probe, operation).await?.key(Role::RateLimited);
        let call = parameters
            .iter()
            .fold(call, |call, (name, value)| call.query(name, value));
        call.send().await
    };
    let mut answer = ask().await?;
    for time in 0..RENEWED {
        let is_renewed =
            Quota::of(&answer).is_some_and(|quota| quota.left > 0 || quota.requests == 1);
        if answer.status == 429 || (time > 0 && !is_renewed) {
            break;
        }
        use_up(probe).await?;
        answer = ask().await?;
    }
    Ok(answer)
}

async fn renewed(probe: Probe) -> Outcome {
    let answers = use_up(&probe).await?;
    let Some(last) = answers.last().filter(|answer| answer.status == 429) else {
        return probe.inconclusive("a quota that can be used up");
    };
    let seconds = last
        .header("retry-after")
        .and_then(|text| text.parse().ok());
    let Some(seconds) = seconds.filter(|seconds| *seconds <= LONGEST_WAIT) else {
        return probe.inconclusive(format!("a Retry-After of {LONGEST_WAIT} seconds or less"));
    };
    probe.sleep(Duration::from_secs(seconds)).await?;
    let answer = ask(&probe).await?;
    probe.expect(&answer).status(200);
    Ok(())
}
