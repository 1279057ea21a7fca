//! `selftest`: what the kit is worth, for a person and for a program.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use platform_conformance::selftest::{self, JudgeError, Plan, Witness, judge, terminal::Terminal};
use platform_conformance::{Pattern, RunError, exit_code};
use terminal_size::terminal_size_of;
use tokio::net::TcpListener;

use super::file::Place;
use super::{columns, print};

/// What the program judges, and what it does with the judgement.
#[derive(Debug, Args)]
pub(super) struct SelftestArgs {
    /// Only faults whose names match; * stands for anything. May be given more than once.
    #[arg(long, value_name = "PATTERN")]
    fault: Vec<Pattern>,
    /// Only legal variants whose names match. May be given more than once.
    #[arg(long, value_name = "PATTERN")]
    variant: Vec<Pattern>,
    /// Judge only the cases whose ids match. May be given more than once.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<Pattern>,
    /// Where rare faults begin, and in which order the cases are asked that do not look at a fault's clause.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Let each fault meet every case, not only those up to the first that notices it.
    #[arg(long)]
    matrix: bool,
    /// Write the judgement as JSON: with --matrix it says which cases notice which fault.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the matrix as one HTML page, for a browser.
    #[arg(long, value_name = "FILE", requires = "matrix")]
    html: Option<PathBuf>,
    /// Show every fault and every legal variant: its name, what it breaks or differs in, what shows it.
    #[arg(long, conflicts_with_all = ["only", "matrix", "json", "serve"])]
    list: bool,
    /// Serve one fault or legal variant over HTTP until the program is stopped, so that any kit can be
    /// measured on it.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["fault", "variant", "only", "matrix", "json"])]
    serve: Option<String>,
    /// Where to serve it.
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        requires = "serve"
    )]
    listen: SocketAddr,
}

/// Why nothing was judged.
#[derive(Debug, thiserror::Error)]
pub(super) enum SelftestError {
    #[error(transparent)]
    Judge(#[from] JudgeError),
    #[error("no fault and no legal variant is called {0}: `selftest --list` shows them all")]
    NoSuch(String),
    #[error("it cannot be served")]
    Serve(#[source] std::io::Error),
    #[error("the judgement {} cannot be written", .0.display())]
    Prepare(PathBuf, #[source] std::io::Error),
    #[error("the judgement {} could not be written", .0.display())]
    Write(PathBuf, #[source] std::io::Error),
}

impl SelftestError {
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::NoSuch(_)
            | Self::Prepare(..)
            | Self::Judge(JudgeError::NoSuch { .. } | JudgeError::Run(RunError::NoSuchCase(_))) => {
                exit_code::USAGE
            }
            Self::Judge(_) | Self::Serve(_) | Self::Write(..) => exit_code::COULD_NOT_RUN,
        }
    }
}

impl SelftestArgs {
    pub(super) async fn run(&self) -> Result<u8, SelftestError> {
        if self.list {
            print(&list());
            return Ok(exit_code::PASSED);
        }
        if let Some(name) = &self.serve {
            return self.serve(name).await;
        }
        let plan = self.plan();
        let place = |path: &Option<PathBuf>| {
            let found = path.as_deref().map(|path| {
                let found = Place::find(path);
                found.map_err(|error| SelftestError::Prepare(path.to_owned(), error))
            });
            found.transpose()
        };
        let (json, html) = (place(&self.json)?, place(&self.html)?);
        let columns = columns(terminal_size_of(std::io::stdout()));
        let mut terminal = Terminal::new(anstream::stdout(), columns);
        let judgement = judge(&plan, |progress| terminal.take_notice(&progress)).await?;
        terminal.finish(&judgement);
        if let (Some(path), Some(place)) = (&self.json, json) {
            write(
                path,
                &place,
                &format!("{:#}\n", serde_json::json!(judgement)),
            )?;
        }
        if let (Some(path), Some(place)) = (&self.html, html) {
            write(path, &place, &selftest::matrix::render(&judgement))?;
        }
        Ok(if judgement.is_flawless() {
            exit_code::PASSED
        } else {
            exit_code::FAILED
        })
    }

    fn plan(&self) -> Plan {
        let mut plan = Plan {
            only: self.only.clone(),
            matrix: self.matrix,
            seed: self.seed,
            ..Plan::default()
        };
        // Who names one kind has no wish for the other.
        if !self.fault.is_empty() || !self.variant.is_empty() {
            plan.faults.clone_from(&self.fault);
            plan.variants.clone_from(&self.variant);
        }
        plan
    }

    async fn serve(&self, name: &str) -> Result<u8, SelftestError> {
        let fault = selftest::faults::all()
            .into_iter()
            .find(|fault| fault.name == name);
        let variant = selftest::variants::all()
            .into_iter()
            .find(|variant| variant.name == name);
        let what = match (&fault, &variant) {
            (Some(fault), _) => fault.wrong,
            (None, Some(variant)) => variant.differs,
            (None, None) => return Err(SelftestError::NoSuch(name.to_owned())),
        };
        let listener = TcpListener::bind(self.listen)
            .await
            .map_err(SelftestError::Serve)?;
        let address = listener.local_addr().map_err(SelftestError::Serve)?;
        print(&format!("http://{address}  {name}: {what}\n"));
        let stopped = async {
            // Without a signal to wait for there is nobody to stop it either.
            let _ = tokio::signal::ctrl_c().await;
        };
        let served = match (fault, variant) {
            (Some(fault), _) => selftest::serve_fault(&fault, self.seed, listener, stopped).await,
            (None, Some(variant)) => {
                selftest::serve_variant(&variant, self.seed, listener, stopped).await
            }
            (None, None) => Ok(()),
        };
        served.map_err(SelftestError::Serve)?;
        Ok(exit_code::PASSED)
    }
}

fn write(path: &Path, place: &Place, text: &str) -> Result<(), SelftestError> {
    let written = place.write(&|out| out.write_all(text.as_bytes()));
    written.map_err(|error| SelftestError::Write(path.to_owned(), error))
}

/// The bank as a table of contents.
fn list() -> String {
    let (faults, variants) = (selftest::faults::all(), selftest::variants::all());
    let mut text = String::new();
    for family in selftest::faults::FAMILIES {
        let _ = writeln!(text, "{}", family.title);
        for fault in faults.iter().filter(|fault| fault.family() == family.name) {
            let _ = writeln!(text, "  {:<48} {}", fault.name, fault.wrong);
            let _ = writeln!(text, "  {:<48} breaks {}", "", fault.clause);
            let witness = fault.witness.first().map(Witness::line).unwrap_or_default();
            let _ = writeln!(text, "  {:<48} {witness}", "");
        }
        text.push('\n');
    }
    let _ = writeln!(text, "Legal variants");
    for variant in &variants {
        let _ = writeln!(text, "  {:<48} {}", variant.name, variant.differs);
    }
    let _ = writeln!(
        text,
        "\n{} faults, {} legal variants",
        faults.len(),
        variants.len()
    );
    text
}
