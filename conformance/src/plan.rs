//! What a run will do at the most, told before anything is sent: the cases, the requests, and what it adds to
//! a deployment, which cannot be taken out again.
//!
//! The client holds the run to the number of requests, those included that look for data, look twice or
//! send again.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::case::{Case, Need};
use crate::client::needs_leave;
use crate::run::{Options, RunError, cases_of};
use crate::target::{PipelineRole, Role, Target};

/// The most requests that look for what the target does not name.
const DISCOVERY: u64 = 50;
/// The most requests of the walks that all cases share.
const WALKS: u64 = 2_500;
/// The most requests that look a second time at what failed, or cut it down.
const SECOND_LOOKS: u64 = 2_000;
/// How many further requests there are for each one that a case sends, to send again what met trouble.
const RETRIED: u64 = 5;

/// What a run will do at the most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunPlan {
    /// Where the deployment answers.
    pub base_url: String,
    /// The roles that there is a key for.
    pub keys: Vec<String>,
    /// The ids of the cases that are to run, as far as the target tells; what cannot be found out may leave
    /// out more of them.
    pub cases: Vec<String>,
    /// The cases that will be skipped.
    pub skipped: Vec<PlannedSkip>,
    /// The most requests, by what they are for.
    pub requests: PlannedRequests,
    /// What it adds; nothing when it only reads.
    pub adds: Option<PlannedAdds>,
}

/// A case that will be skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedSkip {
    /// Its id.
    pub id: String,
    /// Why, and what to add.
    pub reason: String,
}

/// The most requests of a run, by what they are for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedRequests {
    /// To see whether the deployment answers, and to look for what the target does not name.
    pub discovery: u64,
    /// For the cases, each on its own.
    pub cases: u64,
    /// For the walks that cases share.
    pub walks: u64,
    /// To look a second time at what failed.
    pub second_looks: u64,
    /// To send again what met trouble on the way, or a 429.
    pub retries: u64,
    /// What the options allow, where that is less than all of these.
    pub allowed: Option<u64>,
}

/// What a run adds at the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedAdds {
    /// The pipeline.
    pub pipeline_id: u64,
    /// How many organizations, when the deployment keeps the contract.
    pub organizations: u64,
    /// How many additions, when the deployment accepts whatever it has to refuse.
    pub at_most: u64,
}

/// What a run will do at the most. Sends nothing.
///
/// # Errors
/// When there is nothing to run: no key, or a pattern without a case.
///
/// ```
/// use platform_conformance::{ApiKey, Options, Role, Target, plan};
///
/// let key = ApiKey::new("secret-123", "PLATFORM_API_KEY")?;
/// let target = Target::new("https://staging.example")?.with_key(Role::FullAccess, key);
/// let plan = plan(&target, &Options::default())?;
/// assert!(plan.requests.most() > 0 && plan.adds.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan(target: &Target, options: &Options) -> Result<RunPlan, RunError> {
    let cases = cases_of(options)?;
    if !target.has_key(Role::FullAccess) {
        return Err(RunError::NoKey);
    }
    Ok(RunPlan::of(&cases, target, options))
}

/// The most requests of the walk through the writable pipeline that tells what is in it.
const LOOKED_THROUGH: u64 = 20;

impl RunPlan {
    pub(crate) fn of(cases: &[Case], target: &Target, options: &Options) -> Self {
        let mut plan = Self {
            base_url: target.base_url.to_string(),
            keys: Role::ALL
                .into_iter()
                .filter(|role| target.has_key(*role))
                .map(|role| role.as_str().to_owned())
                .collect(),
            cases: Vec::new(),
            skipped: Vec::new(),
            requests: PlannedRequests::default(),
            adds: None,
        };
        let writable = writable(target, options).ok();
        let (mut walking, mut adding, mut writing) = (0_u64, 0_u64, 0_u64);
        for case in cases {
            let lacking = case
                .needs
                .iter()
                .find_map(|need| lacking(*need, target, options));
            if let Some(reason) = lacking {
                plan.skipped.push(PlannedSkip {
                    id: case.id.clone(),
                    reason,
                });
                continue;
            }
            plan.cases.push(case.id.clone());
            walking += case.walks;
            adding += case.adds;
            writing = writing.saturating_add(case.most_writes(options.walks));
            plan.requests.cases += case.most(options.walks);
        }
        // What may be added is found out by a walk, whatever the cases do.
        if target.pipelines.contains_key(&PipelineRole::Writable) {
            walking += LOOKED_THROUGH;
        }
        plan.requests.discovery = DISCOVERY;
        plan.requests.walks = WALKS.min(walking);
        plan.requests.second_looks = SECOND_LOOKS.min(plan.requests.cases + plan.requests.walks);
        plan.requests.retries = plan.requests.discovery + plan.requests.cases / RETRIED;
        plan.requests.allowed = options
            .max_requests
            .filter(|allowed| *allowed < plan.requests.sum());
        let named = u64::try_from(target.organizations_to_add.len()).unwrap_or(u64::MAX);
        let named = if named == 0 { u64::MAX } else { named };
        plan.adds = writable
            .filter(|_| writing > 0)
            .map(|pipeline_id| PlannedAdds {
                pipeline_id,
                organizations: adding.min(named),
                at_most: writing,
            });
        plan
    }

    /// The reasons for which cases will be skipped, each once, with how many.
    pub fn reasons(&self) -> Vec<(&str, usize)> {
        let mut reasons: Vec<(&str, usize)> = Vec::new();
        for skip in &self.skipped {
            match reasons
                .iter_mut()
                .find(|(reason, _)| *reason == skip.reason)
            {
                Some((_, count)) => *count += 1,
                None => reasons.push((&skip.reason, 1)),
            }
        }
        reasons
    }
}

impl PlannedRequests {
    /// The most requests that the run sends.
    pub fn most(&self) -> u64 {
        self.allowed.unwrap_or_else(|| self.sum())
    }

    fn sum(&self) -> u64 {
        self.discovery + self.cases + self.walks + self.second_looks + self.retries
    }
}

impl fmt::Display for PlannedRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "at most {} requests: {} for the cases, {} for walks that they share, {} to look for data, {} to look \
             again at what fails, {} to send again after trouble or 429",
            self.most(),
            self.cases,
            self.walks,
            self.discovery,
            self.second_looks,
            self.retries
        )?;
        match self.allowed {
            Some(_) => write!(f, "; no more of them than allowed"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for RunPlan {
    /// The plan for a person, a line each for what it is about.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} cases", self.cases.len())?;
        writeln!(f, "{}", self.requests)?;
        match &self.adds {
            Some(adds) => writeln!(f, "{adds}")?,
            None => writeln!(f, "nothing is changed")?,
        }
        for (reason, count) in self.reasons() {
            writeln!(f, "{count} skipped: {reason}")?;
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
        write!(
            f,
            "adds at most {} {organizations} to pipeline {}, which cannot be taken out again; at most {} if the \
             deployment accepts what it should refuse",
            self.organizations, self.pipeline_id, self.at_most
        )
    }
}

/// The pipeline that a run may add to.
///
/// # Errors
/// Why it may not add to any pipeline, and therefore only reads.
fn writable(target: &Target, options: &Options) -> Result<u64, NotWritable> {
    if !options.allow_writes {
        return Err(NotWritable::NotAllowed);
    }
    let named = target.pipelines.get(&PipelineRole::Writable);
    named.copied().ok_or(NotWritable::NotNamed)
}

/// Why a run only reads.
enum NotWritable {
    NotAllowed,
    NotNamed,
}

/// Why a case cannot run, as far as can be told before anything is sent.
pub(crate) fn lacking(need: Need, target: &Target, options: &Options) -> Option<String> {
    match need {
        Need::Key(role) if !target.has_key(role) => Some(format!(
            "needs a key: name its environment variable as {} under [keys]",
            role.as_str()
        )),
        Need::Method(method) => match writable(target, options) {
            Ok(_) => None,
            Err(NotWritable::NotAllowed) => Some(needs_leave(method)),
            Err(NotWritable::NotNamed) => Some(format!(
                "sends {method}: name the pipeline that it may add to as writable under [pipelines]"
            )),
        },
        Need::Writes if !options.allow_writes => {
            Some("adds to a pipeline: run with --allow-writes".to_owned())
        }
        Need::Writes | Need::Pipeline(PipelineRole::Writable)
            if !target.pipelines.contains_key(&PipelineRole::Writable) =>
        {
            Some("adds to a pipeline: name one as writable under [pipelines]".to_owned())
        }
        Need::Named(role) if !target.pipelines.contains_key(&role) => {
            let role = role.as_str();
            Some(format!(
                "would add to a pipeline if the deployment let it: name one as {role} under [pipelines]"
            ))
        }
        _ => None,
    }
}
