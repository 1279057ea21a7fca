//! A fault as JSON.

use std::time::Duration;

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::problem::AdminProblem;
use crate::control::delay::{Delay, Distribution};
use crate::control::fault::{Effect, Fault};
use crate::control::operation::Operation;
use crate::model::seconds::Seconds;
use crate::wire::ProblemCode;

/// A fault to inject: a delay, or one of `problem`, `status`, `connection` and `stale`, or a delay and one of them.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FaultBody {
    /// The operations that it applies to; all when empty or left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    operations: Vec<Operation>,
    /// How many matching requests it lets through first.
    after: u64,
    /// How often it applies; until it is removed when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    /// The share of matching requests that it applies to, from 0 to 1; 1 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1)]
    probability: Option<f64>,
    /// How long the response is delayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<DelayBody>,
    /// Responds with this error of the contract. The request is not carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<ProblemCode>,
    /// Responds with this status and no body, as a proxy may. The request is not carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 200, maximum = 599)]
    status: Option<u16>,
    /// Seconds for the header `Retry-After` of a problem or status.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u32>,
    /// Breaks the connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    connection: Option<ConnectionFault>,
    /// Responds from the items as they were when the fault was added; only for operations that read.
    #[serde(skip_serializing_if = "is_false")]
    stale: bool,
}

/// How a connection breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ConnectionFault {
    /// It is reset instead of an answer. The request is not carried out.
    Reset,
    /// It is closed in the middle of the response's body. The request is carried out.
    CutBody,
}

/// A delay by the time of the machine. A random delay depends only on the seed and the order of requests.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum DelayBody {
    /// Always the same.
    Fixed(FixedDelay),
    /// Any delay between two bounds, all equally likely.
    Uniform(UniformDelay),
    /// Delays with a long tail.
    Lognormal(LognormalDelay),
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FixedDelay {
    /// From 0 to 3600.
    #[schema(value_type = f64, minimum = 0, maximum = 3600)]
    seconds: Seconds,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct UniformDelay {
    /// From 0 to 3600.
    #[schema(value_type = f64, minimum = 0, maximum = 3600)]
    lower_seconds: Seconds,
    /// From `lower_seconds` to 3600.
    #[schema(value_type = f64, minimum = 0, maximum = 3600)]
    upper_seconds: Seconds,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LognormalDelay {
    /// Half of the delays are shorter; from 0 to 3600.
    #[schema(value_type = f64, minimum = 0, maximum = 3600)]
    median_seconds: Seconds,
    /// The spread, from 0 to 5; with 0 all delays are equal.
    #[schema(minimum = 0, maximum = 5)]
    sigma: f64,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl TryFrom<FaultBody> for Fault {
    type Error = AdminProblem;

    fn try_from(body: FaultBody) -> Result<Self, AdminProblem> {
        let effect = effect(&body)?;
        let delay = body.delay.map(Delay::try_from).transpose()?;
        if effect == Effect::None && delay.is_none() {
            let detail = "the fault has no effect; give it delay, problem, status, connection or stale";
            return Err(AdminProblem::invalid(detail));
        }
        let probability = body.probability.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&probability) {
            return Err(AdminProblem::invalid("probability: must be from 0 to 1"));
        }
        let reads = body.operations.iter().any(|operation| operation.is_read());
        if effect == Effect::Stale && !body.operations.is_empty() && !reads {
            let detail = "operations: an answer can be stale only for operations that read; name one of them";
            return Err(AdminProblem::invalid(detail));
        }
        Ok(Self {
            operations: body.operations,
            after: body.after,
            times: body.times,
            probability,
            delay,
            effect,
        })
    }
}

fn effect(body: &FaultBody) -> Result<Effect, AdminProblem> {
    let retry_after = body.retry_after_seconds.map(u64::from);
    if retry_after.is_some() && body.problem.is_none() && body.status.is_none() {
        let detail = "retry_after_seconds: belongs to problem or status; add one of them";
        return Err(AdminProblem::invalid(detail));
    }
    let effects = [
        body.problem.map(|code| Effect::Problem { code, retry_after }),
        body.status
            .map(|status| status_effect(status, retry_after))
            .transpose()?,
        body.connection.map(|fault| match fault {
            ConnectionFault::Reset => Effect::ConnectionReset,
            ConnectionFault::CutBody => Effect::CutBody,
        }),
        body.stale.then_some(Effect::Stale),
    ];
    let mut effects = effects.into_iter().flatten();
    match (effects.next(), effects.next()) {
        (None, _) => Ok(Effect::None),
        (Some(effect), None) => Ok(effect),
        (Some(_), Some(_)) => {
            let detail = "give one of problem, status, connection and stale; add another fault for another effect";
            Err(AdminProblem::invalid(detail))
        }
    }
}

fn status_effect(status: u16, retry_after: Option<u64>) -> Result<Effect, AdminProblem> {
    let known = StatusCode::from_u16(status).ok();
    match known.filter(|_| (200..=599).contains(&status)) {
        Some(status) => Ok(Effect::Status { status, retry_after }),
        None => Err(AdminProblem::invalid("status: must be from 200 to 599")),
    }
}

impl TryFrom<DelayBody> for Delay {
    type Error = AdminProblem;

    fn try_from(body: DelayBody) -> Result<Self, AdminProblem> {
        match body {
            DelayBody::Fixed(FixedDelay { seconds }) => Ok(Self::fixed(seconds.duration())),
            DelayBody::Uniform(UniformDelay {
                lower_seconds,
                upper_seconds,
            }) => {
                let (lower, upper) = (lower_seconds.duration(), upper_seconds.duration());
                if lower > upper {
                    let detail = "delay.uniform: lower_seconds must not be above upper_seconds";
                    return Err(AdminProblem::invalid(detail));
                }
                Ok(Self::uniform(lower, upper))
            }
            DelayBody::Lognormal(LognormalDelay { median_seconds, sigma }) => {
                if !(0.0..=5.0).contains(&sigma) {
                    let detail = "delay.lognormal.sigma: must be from 0 to 5";
                    return Err(AdminProblem::invalid(detail));
                }
                Ok(Self::lognormal(median_seconds.duration(), sigma))
            }
        }
    }
}

impl From<&Fault> for FaultBody {
    fn from(fault: &Fault) -> Self {
        let mut body = Self {
            operations: fault.operations.clone(),
            after: fault.after,
            times: fault.times,
            probability: (fault.probability < 1.0).then_some(fault.probability),
            delay: fault.delay.map(DelayBody::from),
            ..Self::default()
        };
        let seconds = |pause: Option<u64>| pause.and_then(|pause| u32::try_from(pause).ok());
        match fault.effect {
            Effect::None => {}
            Effect::Problem { code, retry_after } => {
                body.problem = Some(code);
                body.retry_after_seconds = seconds(retry_after);
            }
            Effect::Status { status, retry_after } => {
                body.status = Some(status.as_u16());
                body.retry_after_seconds = seconds(retry_after);
            }
            Effect::ConnectionReset => body.connection = Some(ConnectionFault::Reset),
            Effect::CutBody => body.connection = Some(ConnectionFault::CutBody),
            Effect::Stale => body.stale = true,
        }
        body
    }
}

impl From<Delay> for DelayBody {
    fn from(delay: Delay) -> Self {
        let of = |duration: Duration| Seconds::of(duration);
        match delay.distribution() {
            Distribution::Fixed(delay) => Self::Fixed(FixedDelay { seconds: of(delay) }),
            Distribution::Uniform { lower, upper } => Self::Uniform(UniformDelay {
                lower_seconds: of(lower),
                upper_seconds: of(upper),
            }),
            Distribution::Lognormal { median, sigma } => Self::Lognormal(LognormalDelay {
                median_seconds: of(median),
                sigma,
            }),
        }
    }
}
