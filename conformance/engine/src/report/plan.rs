//! What a run announces before anything is sent: the cases, the requests, and what it adds to a deployment, which
//! cannot be removed again.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::estimate::rough;
use super::shown::{counted, grouped};

/// The limits of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunPlan {
    /// The base URL of the deployment.
    pub base_url: String,
    /// The roles with a key.
    pub keys: Vec<String>,
    /// The ids of the cases that run, as far as the target shows. More cases are skipped if the deployment lacks what
    /// they need.
    pub cases: Vec<String>,
    /// The cases that will be skipped.
    pub skipped: Vec<PlannedSkip>,
    /// The limits on requests, by purpose.
    pub requests: PlannedRequests,
    /// The minimum time for the usual number of requests at the rate of the run, in milliseconds; null without a rate.
    #[serde(default)]
    pub least_ms: Option<u64>,
    /// What it adds; null if it only reads.
    pub adds: Option<PlannedAdds>,
    /// What a reader needs to know about the connection to the deployment, such as an unverified certificate.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// A case that will be skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedSkip {
    /// Its id.
    pub id: String,
    /// The reason, and how to fix it.
    pub reason: String,
}

/// The limits on the requests of a run, by purpose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedRequests {
    /// The usual number of requests: the number on the reference server when nothing fails.
    #[serde(default)]
    pub usual: u64,
    /// To wait until the deployment responds; 0 if the run does not wait.
    #[serde(default)]
    pub waiting: u64,
    /// To check that the deployment responds, and to discover what the target does not name.
    pub discovery: u64,
    /// For the separate cases.
    pub cases: u64,
    /// For the walks that cases share.
    pub walks: u64,
    /// For second checks of failures.
    pub second_looks: u64,
    /// For retries after trouble or a 429.
    pub retries: u64,
    /// The limit of the options, if lower than the sum of these.
    pub allowed: Option<u64>,
}

/// The limit on what a run adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedAdds {
    /// The writable pipeline.
    pub pipeline_id: u64,
    /// The other pipelines that it adds to.
    #[serde(default)]
    pub more_pipelines: Vec<u64>,
    /// The number of organizations, if the deployment conforms to the contract.
    pub organizations: u64,
    /// The number of additions, if the deployment accepts what it should reject.
    pub at_most: u64,
    /// How many organizations the target names, if it names fewer than the cases add to the writable pipeline. Cases
    /// that come after the last one are skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortage: Option<Shortage>,
}

/// The organizations that a target names, and those that all cases would add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shortage {
    /// The number of organizations that the target names.
    pub named: u64,
    /// The number that the cases add to the writable pipeline.
    pub wanted: u64,
}

impl RunPlan {
    /// The distinct reasons for which cases will be skipped, each with the number of cases.
    pub fn reasons(&self) -> Vec<(&str, usize)> {
        let mut reasons: Vec<(&str, usize)> = Vec::new();
        for skip in &self.skipped {
            match reasons.iter_mut().find(|(reason, _)| *reason == skip.reason) {
                Some((_, count)) => *count += 1,
                None => reasons.push((&skip.reason, 1)),
            }
        }
        reasons
    }
}

impl PlannedRequests {
    /// The limit on requests that the run sends.
    pub fn most(&self) -> u64 {
        self.allowed.unwrap_or_else(|| self.sum())
    }

    /// The usual number and the limit, for a person.
    pub fn in_short(&self) -> String {
        let most = grouped(self.most());
        match self.usual < self.most() {
            true => format!("about {} requests (at most {most})", grouped(self.usual)),
            false => format!("at most {most} requests"),
        }
    }

    /// The sum of all requests, whatever the options allow.
    pub(crate) fn sum(&self) -> u64 {
        self.waiting + self.discovery + self.cases + self.walks + self.second_looks + self.retries
    }
}

impl fmt::Display for PlannedRequests {
    /// Writes the usual number, the limit, and the components of the limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} for the cases, {} for walks that they share, {} to find data, {} to check failures again, \
             {} for retries",
            self.in_short(),
            grouped(self.cases),
            grouped(self.walks),
            grouped(self.discovery),
            grouped(self.second_looks),
            grouped(self.retries)
        )?;
        if self.waiting > 0 {
            write!(f, ", {} to wait for the deployment", grouped(self.waiting))?;
        }
        match self.allowed {
            Some(_) => write!(f, "; limited by --max-requests"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for RunPlan {
    /// Writes the plan for a person, one line for each topic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        writeln!(f, "{}", counted(self.cases.len(), "case"))?;
        writeln!(f, "{}", self.requests)?;
        if let Some(least) = self.least_ms {
            let least = rough(Duration::from_millis(least));
            writeln!(f, "at least {least} at the given rate")?;
        }
        match &self.adds {
            Some(adds) => writeln!(f, "{adds}")?,
            None => writeln!(f, "read-only")?,
        }
        for (reason, count) in self.reasons() {
            writeln!(f, "{} skipped: {reason}", grouped(count))?;
        }
        Ok(())
    }
}

impl fmt::Display for PlannedAdds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let organizations = match self.organizations {
            1 => "organization",
            _ => "organizations",
        };
        let pipelines = match self.more_pipelines.split_last() {
            None => format!("pipeline {}", self.pipeline_id),
            Some((last, more)) => {
                let others = std::iter::once(&self.pipeline_id).chain(more).map(u64::to_string);
                format!("pipelines {} and {last}", others.collect::<Vec<_>>().join(", "))
            }
        };
        write!(
            f,
            "adds at most {} {organizations} to {pipelines} (up to {} if the deployment accepts what it should \
             reject); additions cannot be removed",
            self.organizations, self.at_most
        )?;
        if let Some(Shortage { named, wanted }) = self.shortage {
            write!(
                f,
                "; only {named} of the {wanted} organizations that the cases add are named under [add]: name more, or some \
                 cases are skipped"
            )?;
        }
        Ok(())
    }
}
