//! Writes the first target file: asks a deployment what it can find out, and says of the rest what to add and
//! what it would be good for.
//!
//! It only reads. What it writes holds the names of environment variables and never a secret.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use catalogue::catalogue;
use engine::case::Need;
use engine::clock::SystemClock;
use engine::run::look_around;
use engine::session::observed::{Known, KnownPipeline};
use engine::target::connection::toml_text;
use engine::target::{PipelineRole, Role, Target};
use engine::verdict::Stop;

/// The most organizations that a draft names as those to add.
const TO_ADD: usize = 20;
/// Where comments behind a line begin.
const COMMENTS: usize = 44;

/// A target file that is not yet written.
#[derive(Debug)]
pub struct Draft {
    target: Target,
    known: Known,
}

/// Why there is nothing to write down.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// There is no key to ask with.
    #[error(
        "no API key to ask with: set PLATFORM_API_KEY, or name a variable for full_access in a target file"
    )]
    NoKey,
    /// The deployment did not answer, does not accept the key, or is another service.
    #[error("{0}")]
    Unreached(String),
    /// The deployment answered as no such service does, or to nobody.
    #[error("the deployment showed no pipeline, no organization and no product. {0}")]
    Nothing(String),
}

/// Asks a deployment for what its target does not name: pipelines of every role, organizations, products. Sends
/// reads alone, about two dozen. Needs a Tokio runtime around it.
///
/// ```no_run
/// use std::time::Duration;
///
/// use platform_conformance::{ApiKey, Role, Target, init};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let key = ApiKey::new(std::env::var("STAGING_KEY")?, "STAGING_KEY")?;
/// let target = Target::new("https://staging.example")?.with_key(Role::FullAccess, key);
/// let draft = init::draft(target, Duration::from_secs(30)).await?;
/// std::fs::write("staging.toml", draft.to_string())?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When there is no key with full access, the deployment is not reached, or it shows nothing at all.
pub async fn draft(target: Target, timeout: Duration) -> Result<Draft, InitError> {
    if !target.has_key(Role::FullAccess) {
        return Err(InitError::NoKey);
    }
    let clock = Arc::new(SystemClock::default());
    let (probe, known) = look_around(&target, timeout, clock)
        .await
        .map_err(unreached)?;
    let nothing =
        known.pipelines.is_empty() && known.organizations.is_empty() && known.products.is_empty();
    if nothing {
        let call = probe.call("search_organizations_by_description");
        let answer = call
            .query("description", "software")
            .send()
            .await
            .map_err(unreached)?;
        let hint = match answer.status {
            403 => "The key may not read there",
            _ => "Is it the right deployment",
        };
        let seen = probe.redact(&format!("A search was answered {}", answer.summary()));
        return Err(InitError::Nothing(format!("{hint}? {seen}")));
    }
    Ok(Draft { target, known })
}

fn unreached(stop: Stop) -> InitError {
    InitError::Unreached(match stop {
        Stop::Failed(finding) => finding.to_string(),
        Stop::Skipped(reason) | Stop::Inconclusive(reason) | Stop::Errored(reason) => reason,
    })
}

impl Draft {
    /// What was found, in a line.
    pub fn summary(&self) -> String {
        let Known {
            pipelines,
            organizations,
            products,
            ..
        } = &self.known;
        let found = |count: usize, what: &str| match count {
            0 => format!("no {what}"),
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        format!(
            "{}, {} and {} to look at",
            found(pipelines.len(), "pipeline"),
            found(organizations.len(), "organization"),
            found(products.len(), "product"),
        )
    }

    fn keys(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\n[keys]  # names of environment variables, never keys\n")?;
        let what = |role| match role {
            Role::FullAccess => "may do everything",
            Role::ReadOnly => "may read, and not add",
            Role::NoAccess => "is known, and may do nothing",
            Role::RateLimited => "may read, with a small quota that is used up",
        };
        for role in Role::ALL {
            let (line, comment) = match self.target.key(role) {
                Some(key) => (
                    format!("{} = {}", role.as_str(), toml_text(key.variable())),
                    what(role).to_owned(),
                ),
                None => (
                    format!("# {} = {}", role.as_str(), toml_text(role.variable())),
                    format!("{}: {}", what(role), waiting(&[Need::Key(role)])),
                ),
            };
            write_line(f, &line, &comment)?;
        }
        Ok(())
    }

    fn pipelines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\n[pipelines]\n")?;
        let known: BTreeMap<_, _> = self
            .known
            .pipelines
            .iter()
            .map(|pipeline| (pipeline.pipeline_id, pipeline))
            .collect();
        for role in PipelineRole::ALL {
            let name = role.as_str();
            let what = match role {
                PipelineRole::ManyItems => "organizations, more than 1000 to show every law",
                PipelineRole::Other => "any other with an item",
                PipelineRole::NotOrganizations => "persons or documents",
                PipelineRole::Writable => {
                    "organizations, where what is added may stay; never looked for, only named"
                }
            };
            let needs = match role {
                PipelineRole::Writable => vec![Need::Writes, Need::Method("POST")],
                role => vec![Need::Pipeline(role), Need::Named(role)],
            };
            let (line, comment) = match self.known.roles.get(&role) {
                Some(id) => {
                    let holds = known.get(id).map(|pipeline| contents(pipeline));
                    (
                        format!("{name} = {id}"),
                        holds.unwrap_or_else(|| what.to_owned()),
                    )
                }
                None => (
                    format!("# {name} ="),
                    format!("{what}: {}", waiting(&needs)),
                ),
            };
            write_line(f, &line, &comment)?;
        }
        let roles: Vec<_> = self.known.roles.values().collect();
        let rest = known
            .values()
            .filter(|known| !roles.contains(&&known.pipeline_id));
        for pipeline in rest {
            let contents = contents(pipeline);
            writeln!(
                f,
                "# pipeline {} answered too: {contents}",
                pipeline.pipeline_id
            )?;
        }
        Ok(())
    }

    fn organizations(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "\n[add]  # organizations that cases may add; left out: those that a search finds\n",
        )?;
        let named = self.target.organizations_to_add();
        let ids = |ids: &[u64]| {
            let ids: Vec<_> = ids.iter().take(TO_ADD).map(u64::to_string).collect();
            ids.join(", ")
        };
        match named.is_empty() {
            true => writeln!(f, "# organizations = [{}]", ids(&self.known.organizations)),
            false => writeln!(f, "organizations = [{}]", ids(named)),
        }
    }
}

impl fmt::Display for Draft {
    /// The target file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "# A deployment to hold to the contract, as platform-conformance init found it.\n\
             # What stands behind # is not in use: fill it in, and take the # away.\n\n",
        )?;
        writeln!(
            f,
            "base_url = {}",
            toml_text(self.target.base_url().as_str())
        )?;
        f.write_str(&self.target.connection().as_toml())?;
        self.keys(f)?;
        f.write_str(&self.target.connection().headers_as_toml())?;
        self.pipelines(f)?;
        self.organizations(f)
    }
}

fn write_line(f: &mut fmt::Formatter<'_>, line: &str, comment: &str) -> fmt::Result {
    writeln!(f, "{line:<COMMENTS$}  # {comment}")
}

/// What a pipeline holds, as a comment.
fn contents(pipeline: &KnownPipeline) -> String {
    let kind = pipeline.entity_type.as_deref().unwrap_or("nothing");
    let mut contents = match pipeline.total_count {
        0 => "no items".to_owned(),
        1 => format!("1 item, {kind}"),
        count => format!("{count} items, {kind}"),
    };
    match pipeline.question_columns.len() {
        0 => {}
        1 => contents.push_str(", 1 question"),
        count => {
            let _ = write!(contents, ", {count} questions");
        }
    }
    // A comment ends with its line.
    contents.replace(|character: char| character.is_control(), " ")
}

/// How many cases need something, as a comment.
fn waiting(needs: &[Need]) -> String {
    let waiting = catalogue()
        .iter()
        .filter(|case| needs.iter().any(|need| case.needs.contains(need)))
        .count();
    match waiting {
        1 => "1 case waits for it".to_owned(),
        count => format!("{count} cases wait for it"),
    }
}
