//! Drafts a first target file for a deployment: fills in what requests can find out, and lists the rest as comments
//! with the number of cases that need it.
//!
//! It only reads from the deployment. The draft contains names of environment variables, never a secret.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use catalogue::catalogue;
use engine::case::Need;
use engine::clock::SystemClock;
use engine::report::shown::counted;
use engine::run::explore;
use engine::run::options::Options;
use engine::session::observed::{Known, KnownPipeline};
use engine::target::connection::HeaderSource;
use engine::target::key::ApiKey;
use engine::target::{MOST_PIPELINES_TO_ADD, PipelineRole, Role, SomePipelines, Target};
use engine::verdict::Stop;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

/// The column in which comments at the end of a line begin.
const COMMENTS: usize = 44;
/// The comment at the beginning of the file.
const HEAD: &str = "\
# A deployment to check against the contract, as found by platform-conformance init.
# Lines that begin with # are suggestions: fill them in and remove the #.

";

/// A target file before it is written.
#[derive(Debug)]
pub struct Draft {
    target: Target,
    known: Known,
}

/// The reason why there is no draft.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// There is no key to send requests with.
    #[error("no API key: set PLATFORM_API_KEY, or name a variable for full_access in a target file")]
    NoKey,
    /// The deployment did not respond, does not accept the key, or is another service.
    #[error("{0}")]
    Unreached(String),
    /// The deployment responded without any record that could be used.
    #[error("found no pipelines, organizations or products. {0}")]
    Nothing(String),
}

/// Looks for what the target does not name: pipelines of every role, organizations, products. Sends about two dozen
/// requests that only read. Needs a Tokio runtime.
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
/// When there is no key with full access, the deployment is not reached, or it shows no records.
pub async fn draft(target: Target, timeout: Duration) -> Result<Draft, InitError> {
    let options = Options {
        timeout,
        ..Options::default()
    };
    draft_with(target, &options).await
}

/// Like [`draft`], with the options of a run for its requests: how long to wait for the deployment, how fast to send.
///
/// # Errors
/// The errors of [`draft`].
pub async fn draft_with(target: Target, options: &Options) -> Result<Draft, InitError> {
    if !target.has_key(Role::FullAccess) {
        return Err(InitError::NoKey);
    }
    let clock = Arc::new(SystemClock::default());
    let (probe, known) = explore(&target, options, clock).await.map_err(unreached)?;
    let nothing = known.pipelines.is_empty() && known.organizations.is_empty() && known.products.is_empty();
    if nothing {
        let call = probe.call("search_organizations_by_description");
        let response = call.query("description", "software").send().await.map_err(unreached)?;
        let hint = match response.status {
            403 => "use a key with permission to search",
            _ => "check the base URL",
        };
        let seen = probe.redact(&format!("A search returned {}", response.summary()));
        return Err(InitError::Nothing(format!("{seen}: {hint}")));
    }
    Ok(Draft { target, known })
}

/// A key as a target file names it.
fn entry(key: &ApiKey) -> Value {
    let Some(command) = key.command() else {
        return key.variable().into();
    };
    let words = command.words().iter().map(String::as_str);
    let mut entry = InlineTable::new();
    entry.insert("command", Array::from_iter(words).into());
    if let Some(lasts) = command.lasts() {
        entry.insert("lasts", format!("{}s", lasts.as_secs()).into());
    }
    entry.into()
}

fn unreached(stop: Stop) -> InitError {
    InitError::Unreached(match stop {
        Stop::Failed(finding) => finding.to_string(),
        Stop::Skipped(reason) | Stop::Inconclusive(reason) | Stop::Errored(reason) => reason,
    })
}

impl Draft {
    /// The records that were found, in one line.
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
            "found {}, {} and {}",
            found(pipelines.len(), "pipeline"),
            found(organizations.len(), "organization"),
            found(products.len(), "product"),
        )
    }

    fn write_connection(&self, file: &mut File) {
        let connection = self.target.connection();
        if let Some(ca_file) = connection.ca_file() {
            file.set("ca_file", ca_file.to_string_lossy().into_owned().into());
        }
        if let Some((certificate, key)) = connection.client_certificate() {
            let files = [("client_cert", Some(certificate)), ("client_key", key)];
            for (name, path) in files {
                if let Some(path) = path {
                    file.set(name, path.to_string_lossy().into_owned().into());
                }
            }
        }
        if connection.is_insecure() {
            file.set("insecure", true.into());
        }
        if let Some((proxy, credentials)) = connection.proxy() {
            let proxy = match credentials {
                None => proxy.into(),
                Some(variable) => {
                    let entry = InlineTable::from_iter([("url", proxy), ("credentials", variable)]);
                    entry.into()
                }
            };
            file.set("proxy", proxy);
        }
    }

    fn write_keys(&self, file: &mut File) {
        file.begin("keys", Some("names of environment variables, never keys"));
        let what = |role| match role {
            Role::FullAccess => "full access",
            Role::ReadOnly => "read, but not add",
            Role::NoAccess => "no permissions, although the key is known",
            Role::RateLimited => "read, with a small quota to exhaust",
            Role::OnePipeline => "read the pipeline named other, and nothing else",
            Role::CreateOnly => "add to the pipeline named writable, and nothing else",
            Role::WritableOnly => "read and add to the pipeline named writable, and nothing else",
            Role::OrganizationsOnly => "search organizations, and nothing else",
            Role::SomePipelines => "read and add to the pipelines under [some_pipelines], and to no others",
        };
        for role in Role::ALL {
            let what = what(role);
            match self.target.key(role) {
                Some(key) => file.set_with(role.as_str(), entry(key), what),
                None => {
                    let variable = Value::from(role.variable()).to_string();
                    let comment = format!("{what}: {}", waiting(&[Need::Key(role)]));
                    file.suggest(role.as_str(), &variable, &comment);
                }
            }
        }
    }

    fn write_headers(&self, file: &mut File) {
        let mut headers = self.target.connection().extra_headers().peekable();
        if headers.peek().is_some() {
            file.begin("headers", Some("sent with every request"));
        }
        for (name, source) in headers {
            let value = match source {
                HeaderSource::Text(text) => text.into_owned().into(),
                HeaderSource::Variable(name) => InlineTable::from_iter([("variable", name)]).into(),
            };
            file.set(name, value);
        }
    }

    fn write_pipelines(&self, file: &mut File) {
        file.begin("pipelines", None);
        let known: BTreeMap<_, _> = self
            .known
            .pipelines
            .iter()
            .map(|pipeline| (pipeline.pipeline_id, pipeline))
            .collect();
        for role in PipelineRole::ALL {
            let what = match role {
                PipelineRole::ManyItems => "organizations; more than 1000 items test every rule",
                PipelineRole::Other => "another pipeline with an item",
                PipelineRole::NotOrganizations => "persons or documents",
                PipelineRole::Writable => "organizations; additions are permanent; never chosen automatically",
            };
            let needs = match role {
                PipelineRole::Writable => vec![Need::Writes, Need::POST],
                role => vec![Need::Pipeline(role), Need::Named(role)],
            };
            match self.known.roles.get(&role) {
                Some(&id) => {
                    let holds = known.get(&id).map(|pipeline| contents(pipeline));
                    let comment = holds.unwrap_or_else(|| what.to_owned());
                    file.set_with(role.as_str(), integer(id), &comment);
                }
                None => {
                    let comment = format!("{what}: {}", waiting(&needs));
                    file.suggest(role.as_str(), "", &comment);
                }
            }
        }
        let more = self.target.more_pipelines().iter();
        let roles: Vec<_> = self.known.roles.values().chain(more).collect();
        let rest = known.values().filter(|known| !roles.contains(&&known.pipeline_id));
        for pipeline in rest {
            let id = pipeline.pipeline_id;
            file.comment(&format!("also found: pipeline {id} with {}", contents(pipeline)));
        }
    }

    fn write_organizations(&self, file: &mut File) {
        let comment = "organizations that cases may add; default: results of a search";
        file.begin("add", Some(comment));
        let array = |ids: &[u64]| Value::from(ids.iter().map(|&id| integer(id)).collect::<Array>());
        match self.target.organizations_to_add() {
            [] => {
                // As many as the cases add to one pipeline.
                let added: u64 = catalogue().iter().map(|case| case.adds).sum();
                let found = &self.known.organizations;
                let most = usize::try_from(added).unwrap_or(usize::MAX).min(found.len());
                let found = array(&found[..most]);
                file.comment(&format!("organizations = {found}"));
            }
            named => file.set("organizations", array(named)),
        }
        match self.target.pipelines_to_add() {
            [] => {
                let needs = [Need::OtherPipelines];
                let comment = format!(
                    "other pipelines that cases may add to, up to {MOST_PIPELINES_TO_ADD}: {}",
                    waiting(&needs)
                );
                file.suggest("pipelines", "[]", &comment);
            }
            named => file.set("pipelines", array(named)),
        }
    }

    fn write_some_pipelines(&self, file: &mut File) {
        let SomePipelines { reads, adds } = self.target.some_pipelines();
        file.begin(
            "some_pipelines",
            Some("what the key some_pipelines may do with pipelines"),
        );
        for (name, ids) in [("reads", reads), ("adds", adds)] {
            let ids: Array = ids.iter().map(|&id| integer(id)).collect();
            match self.target.has_key(Role::SomePipelines) {
                true => file.set(name, ids.into()),
                false => file.comment(&format!("{name} = []")),
            }
        }
    }

    fn write_searches(&self, file: &mut File) {
        let names = self.target.search_names().to_toml();
        match names.parse::<DocumentMut>() {
            Ok(names) if !names.is_empty() => file.set_table("searches", names.into_table()),
            _ if self.known.organizations.is_empty() => file.comment(
                "No organization was found in the form of the contract: name what searches call their fields under \
                 [searches.fields]",
            ),
            _ => {}
        }
    }
}

impl fmt::Display for Draft {
    /// Writes the target file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut file = File::new(HEAD);
        file.set("base_url", self.target.base_url().as_str().into());
        self.write_connection(&mut file);
        if let more @ [_, ..] = self.target.more_pipelines() {
            let more: Array = more.iter().map(|&id| integer(id)).collect();
            file.set("more_pipelines", more.into());
        }
        self.write_keys(&mut file);
        self.write_headers(&mut file);
        self.write_pipelines(&mut file);
        self.write_organizations(&mut file);
        self.write_some_pipelines(&mut file);
        self.write_searches(&mut file);
        f.write_str(&file.finish())
    }
}

/// A target file under construction, from top to bottom.
struct File {
    document: DocumentMut,
    /// The current table; empty for the top level.
    table: &'static str,
    /// The comments since the last entry: TOML places them before the next one.
    comments: String,
}

impl File {
    fn new(head: &str) -> Self {
        Self {
            document: DocumentMut::new(),
            table: "",
            comments: head.to_owned(),
        }
    }

    /// Begins a table, with a comment after its name.
    fn begin(&mut self, name: &'static str, comment: Option<&str>) {
        let mut table = Table::new();
        let comments = mem::take(&mut self.comments);
        table.decor_mut().set_prefix(format!("{comments}\n"));
        if let Some(comment) = comment {
            table.decor_mut().set_suffix(format!("  # {comment}"));
        }
        self.document.insert(name, Item::Table(table));
        self.table = name;
    }

    /// Adds a whole table.
    fn set_table(&mut self, name: &str, mut table: Table) {
        let comments = mem::take(&mut self.comments);
        table.decor_mut().set_prefix(format!("{comments}\n"));
        self.document.insert(name, Item::Table(table));
    }

    fn set(&mut self, key: &str, value: Value) {
        let table = match self.document.get_mut(self.table) {
            Some(Item::Table(table)) => table,
            _ => self.document.as_table_mut(),
        };
        table.insert(key, Item::Value(value));
        if let Some(mut key) = table.key_mut(key) {
            let comments = mem::take(&mut self.comments);
            key.leaf_decor_mut().set_prefix(comments);
        }
    }

    /// Sets an entry with a comment after it.
    fn set_with(&mut self, key: &str, mut value: Value, comment: &str) {
        let used = format!("{key} = {value}").chars().count();
        let space = " ".repeat(COMMENTS.saturating_sub(used));
        value.decor_mut().set_suffix(format!("{space}  # {comment}"));
        self.set(key, value);
    }

    /// Suggests an entry as a comment.
    fn suggest(&mut self, key: &str, value: &str, comment: &str) {
        let line = format!("# {key} = {value}");
        let _ = writeln!(self.comments, "{:<COMMENTS$}  # {comment}", line.trim_end());
    }

    fn comment(&mut self, comment: &str) {
        let _ = writeln!(self.comments, "# {comment}");
    }

    fn finish(mut self) -> String {
        self.document.set_trailing(self.comments);
        self.document.to_string()
    }
}

/// An id as a TOML integer, which is signed. Ids of the contract are at most 2^53 - 1.
fn integer(id: u64) -> Value {
    i64::try_from(id).unwrap_or(i64::MAX).into()
}

/// The contents of a pipeline, as a comment.
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

/// The number of cases with a need, as a comment.
fn waiting(needs: &[Need]) -> String {
    let waiting = catalogue()
        .iter()
        .filter(|case| needs.iter().any(|need| case.needs.contains(need)))
        .count();
    match waiting {
        1 => "1 case needs it".to_owned(),
        count => format!("{} need it", counted(count, "case")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_organizations_are_all_kept() {
        let target = Target::new("https://staging.example").unwrap();
        let target = target.with_organizations_to_add(1..=99);
        let known = Known::default();
        let draft = Draft { target, known }.to_string();
        assert!(
            draft.contains("\norganizations = [1, 2, ") && draft.contains(", 99]"),
            "{draft}"
        );
    }

    #[test]
    fn proxy_with_credentials_names_their_variable() {
        let target = Target::new("https://staging.example")
            .and_then(|target| target.with_proxy("http://proxy.example:3128"))
            .and_then(|target| target.with_proxy_credentials("kit:s3cret", "STAGING_PROXY"))
            .unwrap();
        let known = Known::default();
        let draft = Draft { target, known }.to_string();
        let line = "\nproxy = { url = \"http://proxy.example:3128/\", credentials = \"STAGING_PROXY\" }\n";
        assert!(draft.contains(line), "{draft}");
        assert!(!draft.contains("s3cret"), "{draft}");
    }
}
