//! What a run will do, announced before anything is sent: the cases, the requests, and what it adds to a deployment,
//! which cannot be removed again.
//!
//! The client enforces the limit on requests. It includes requests for discovery, second checks and retries.

use crate::case::{Case, Need};
use crate::pattern::Pattern;
use crate::report::{PlannedAdds, PlannedRequests, PlannedSkip, RunPlan, Shortage};
use crate::run::options::{Options, RunError};
use crate::session::up::attempts;
use crate::target::{PipelineRole, Role, Target};
use crate::transport::client::needs_leave;

/// The limit on discovery requests, and their usual number.
const DISCOVERY: u64 = 100;
const USUAL_DISCOVERY: u64 = 25;
/// The limit on the requests of the walks that all cases share, and their usual number.
const WALKS: u64 = 2_500;
const USUAL_WALKS: u64 = 200;
/// The limit on requests for second checks of failures and for shrinking property runs.
const SECOND_LOOKS: u64 = 2_000;
/// The number of retries allowed for each request of a case.
const RETRIED: u64 = 5;

/// The limits of a run, and how many requests it usually takes. Sends nothing.
///
/// # Errors
/// When there is nothing to run: no key, or a pattern without a case.
///
/// ```
/// # mod platform_conformance {
/// #     pub use platform_conformance_engine::*;
/// #     pub fn catalogue() -> Vec<Case> { Vec::new() }
/// # }
/// use platform_conformance::{ApiKey, Options, Role, Target, catalogue, plan};
///
/// let key = ApiKey::new("secret-123", "PLATFORM_API_KEY")?;
/// let target = Target::new("https://staging.example")?.with_key(Role::FullAccess, key);
/// let plan = plan(catalogue(), &target, &Options::default())?;
/// assert!(plan.requests.most() > 0 && plan.adds.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan(cases: Vec<Case>, target: &Target, options: &Options) -> Result<RunPlan, RunError> {
    let cases = chosen(cases, options)?;
    if !target.has_key(Role::FullAccess) {
        return Err(RunError::NoKey);
    }
    Ok(RunPlan::of(&cases, target, options))
}

/// Returns the cases that the options choose: those that match `only`, without those that match `exclude`.
///
/// # Errors
/// When a pattern matches no case.
pub fn chosen(cases: Vec<Case>, options: &Options) -> Result<Vec<Case>, RunError> {
    for pattern in &options.exclude {
        select(cases.clone(), std::slice::from_ref(pattern))?;
    }
    let mut cases = select(cases, &options.only)?;
    let excluded = |case: &Case| {
        let mut patterns = options.exclude.iter();
        patterns.any(|pattern| pattern.matches(&case.id))
    };
    cases.retain(|case| !excluded(case));
    Ok(cases)
}

/// Returns the cases that match one of these patterns; all when there are no patterns.
///
/// # Errors
/// When a pattern matches no case.
pub fn select(cases: Vec<Case>, only: &[Pattern]) -> Result<Vec<Case>, RunError> {
    let matches = |pattern: &Pattern| cases.iter().any(|case| pattern.matches(&case.id));
    if let Some(pattern) = only.iter().find(|pattern| !matches(pattern)) {
        return Err(RunError::NoSuchCase(pattern.clone()));
    }
    let wanted = |case: &Case| only.is_empty() || only.iter().any(|pattern| pattern.matches(&case.id));
    Ok(cases.into_iter().filter(wanted).collect())
}

/// The limit on requests of the walk through the writable pipeline.
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
            least_ms: None,
            adds: None,
            warnings: target.connection.warnings(),
        };
        let writable = writable(target, options).ok();
        let (mut walking, mut adding, mut writing) = (0_u64, 0_u64, 0_u64);
        let mut wanted = 0_u64;
        let mut adds_to_others = false;
        for case in cases {
            let lacking = case.needs.iter().find_map(|need| lacking(need, target, options));
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
            match case.needs.contains(&Need::OtherPipelines) {
                true => adds_to_others = true,
                false => wanted += case.adds,
            }
            writing = writing.saturating_add(case.write_limit(options.property_runs));
            plan.requests.cases += case.request_limit(options.property_runs);
            plan.requests.usual += case.expected_requests(options.property_runs);
        }
        // A walk always finds out what may be added, whatever the cases do.
        if target.pipelines.contains_key(&PipelineRole::Writable) {
            walking += LOOKED_THROUGH;
        }
        plan.requests.waiting = options.wait_for.map_or(0, attempts);
        plan.requests.discovery = DISCOVERY;
        plan.requests.walks = WALKS.min(walking);
        plan.requests.second_looks = SECOND_LOOKS.min(plan.requests.cases + plan.requests.walks);
        plan.requests.retries = plan.requests.discovery + plan.requests.cases / RETRIED;
        plan.requests.usual += USUAL_DISCOVERY + USUAL_WALKS.min(walking);
        plan.requests.allowed = options.max_requests.filter(|allowed| *allowed < plan.requests.sum());
        plan.least_ms = options.rate.map(|rate| {
            let usual = plan.requests.usual.min(plan.requests.most());
            let interval = u64::try_from(rate.interval().as_millis()).unwrap_or(u64::MAX);
            usual.saturating_mul(interval)
        });
        writing += u64::try_from(tried_before(cases, target, options).len()).unwrap_or(u64::MAX);
        let named = u64::try_from(target.organizations_to_add.len()).unwrap_or(u64::MAX);
        let named = if named == 0 { u64::MAX } else { named };
        let more_pipelines = match adds_to_others {
            true => target.pipelines_to_add().to_vec(),
            false => Vec::new(),
        };
        // Each pipeline may take each of them.
        let pipelines = 1 + u64::try_from(more_pipelines.len()).unwrap_or(u64::MAX);
        plan.adds = writable.filter(|_| writing > 0).map(|pipeline_id| PlannedAdds {
            pipeline_id,
            more_pipelines,
            organizations: adding.min(named.saturating_mul(pipelines)),
            at_most: writing,
            shortage: (named < wanted).then_some(Shortage { named, wanted }),
        });
        plan
    }
}

/// The pipelines besides the writable one that some of these cases try to add to with full access: a request to each
/// shows first whether that key may.
pub(crate) fn tried_before(cases: &[Case], target: &Target, options: &Options) -> Vec<(PipelineRole, u64)> {
    let is_run = |case: &Case| case.needs.iter().all(|need| lacking(need, target, options).is_none());
    let is_tried = |role: PipelineRole| {
        let mut cases = cases.iter();
        cases.any(|case| case.needs.contains(&Need::Named(role)) && is_run(case))
    };
    [PipelineRole::NotOrganizations, PipelineRole::ManyItems]
        .into_iter()
        .filter_map(|role| Some((role, *target.pipelines.get(&role)?)))
        .filter(|(role, _)| is_tried(*role))
        .collect()
}

/// The pipeline that a run may add to.
///
/// # Errors
/// Why it may not add to any pipeline, and so only reads.
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

/// Why a case cannot run, as far as is known before anything is sent.
pub(crate) fn lacking(need: &Need, target: &Target, options: &Options) -> Option<String> {
    match need {
        Need::Key(role) if !target.has_key(*role) => Some(format!(
            "needs a key: name its environment variable as {} under [keys]",
            role.as_str()
        )),
        Need::Method(method) => match writable(target, options) {
            Ok(_) => None,
            Err(NotWritable::NotAllowed) => Some(needs_leave(method)),
            Err(NotWritable::NotNamed) => Some(format!(
                "sends {method}: name a pipeline for additions as writable under [pipelines]"
            )),
        },
        Need::Writes if !options.allow_writes => Some("adds to a pipeline: run with --allow-writes".to_owned()),
        Need::Writes | Need::Pipeline(PipelineRole::Writable)
            if !target.pipelines.contains_key(&PipelineRole::Writable) =>
        {
            Some("adds to a pipeline: name one as writable under [pipelines]".to_owned())
        }
        Need::OtherPipelines if target.pipelines_to_add.is_empty() => {
            Some("adds to pipelines other than the writable one: name some as pipelines under [add]".to_owned())
        }
        Need::Named(role) if !target.pipelines.contains_key(role) => {
            let role = role.as_str();
            Some(format!(
                "adds to a pipeline if the deployment wrongly accepts it: name one as {role} under [pipelines]"
            ))
        }
        _ => None,
    }
}
