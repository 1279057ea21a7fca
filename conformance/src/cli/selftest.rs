//! `selftest`: measures what the kit detects, for a person and for a program.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use platform_conformance::report::shown::counted;
use platform_conformance::selftest::terminal::Terminal;
use platform_conformance::selftest::{self, JudgeError, Plan, Progress, Witness, judge};
use platform_conformance::{Pattern, RunError, exit_code};
use tokio::net::TcpListener;

use super::file::Place;
use super::print;
use super::progress::{Line, Stream};

/// The options of a self-test.
#[derive(Debug, Args)]
pub(super) struct SelftestArgs {
    /// Test only faults whose names match; * matches anything. Can be repeated.
    #[arg(long, value_name = "PATTERN")]
    fault: Vec<Pattern>,
    /// Test only legal variants whose names match. Can be repeated.
    #[arg(long, value_name = "PATTERN")]
    variant: Vec<Pattern>,
    /// Test each legal variant on a deployment of its own. By default, variants that do not interfere share a
    /// deployment and are tested alone if a case fails.
    #[arg(long)]
    alone: bool,
    /// Test only the cases whose ids match. Can be repeated.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<Pattern>,
    /// The seed of rare faults, of property runs, and of the order of the cases that do not check a fault's clause.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Run every case on each fault, not only up to the first that detects it.
    #[arg(long)]
    matrix: bool,
    /// Write the result as JSON: with --matrix it lists the cases that detect each fault.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the matrix as an HTML page.
    #[arg(long, value_name = "FILE", requires = "matrix")]
    html: Option<PathBuf>,
    /// List every fault and every legal variant: its name, what it breaks or differs in, and a request that shows it.
    #[arg(long, conflicts_with_all = ["alone", "only", "matrix", "json", "serve"])]
    list: bool,
    /// Serve one fault or legal variant over HTTP until the program is stopped, for testing another kit against it.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["fault", "variant", "alone", "only", "matrix", "json"])]
    serve: Option<String>,
    /// The address to serve it at.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", requires = "serve")]
    listen: SocketAddr,
}

/// The reason why nothing was tested.
#[derive(Debug, thiserror::Error)]
pub(super) enum SelftestError {
    #[error(transparent)]
    Judge(#[from] JudgeError),
    #[error("no fault or legal variant is named {0}: list them with `selftest --list`")]
    NoSuch(String),
    #[error("cannot listen on the address of --listen; use another port")]
    Serve(#[source] std::io::Error),
    #[error("the result {} cannot be written", .0.display())]
    Prepare(PathBuf, #[source] std::io::Error),
    #[error("the result {} could not be written", .0.display())]
    Write(PathBuf, #[source] std::io::Error),
}

impl SelftestError {
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::NoSuch(_)
            | Self::Prepare(..)
            | Self::Judge(JudgeError::NoSuch { .. } | JudgeError::Run(RunError::NoSuchCase(_))) => exit_code::USAGE,
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
        let line = Line::new(Stream::Stdout);
        let mut terminal = Terminal::new(line.above(), Stream::Stdout.columns());
        let mut watched = Watched::new(&line);
        let judged = judge(&plan, |progress| {
            watched.take_notice(&progress);
            terminal.take_notice(&progress);
        });
        let judged = judged.await;
        line.clear();
        let judgement = judged?;
        terminal.finish(&judgement);
        if let (Some(path), Some(place)) = (&self.json, json) {
            write(path, &place, &format!("{:#}\n", serde_json::json!(judgement)))?;
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
            alone: self.alone,
            only: self.only.clone(),
            matrix: self.matrix,
            seed: self.seed,
            ..Plan::default()
        };
        // Naming only faults selects no variants, and the other way round.
        if !self.fault.is_empty() || !self.variant.is_empty() {
            plan.faults.clone_from(&self.fault);
            plan.variants.clone_from(&self.variant);
        }
        plan
    }

    async fn serve(&self, name: &str) -> Result<u8, SelftestError> {
        let fault = selftest::faults::all().into_iter().find(|fault| fault.name == name);
        let variant = selftest::variants::all()
            .into_iter()
            .find(|variant| variant.name == name);
        let what = match (&fault, &variant) {
            (Some(fault), _) => fault.wrong,
            (None, Some(variant)) => variant.differs,
            (None, None) => return Err(SelftestError::NoSuch(name.to_owned())),
        };
        let listener = TcpListener::bind(self.listen).await.map_err(SelftestError::Serve)?;
        let address = listener.local_addr().map_err(SelftestError::Serve)?;
        print(&format!("http://{address}  {name}: {what}\n"));
        let stopped = async {
            // Without a signal handler, only a kill stops the server.
            let _ = tokio::signal::ctrl_c().await;
        };
        let served = match (fault, variant) {
            (Some(fault), _) => selftest::serve_fault(&fault, self.seed, listener, stopped).await,
            (None, Some(variant)) => selftest::serve_variant(&variant, self.seed, listener, stopped).await,
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

/// Shows the progress of the self-test.
struct Watched<'a> {
    line: &'a Line,
    survived: usize,
    alarmed: usize,
}

impl<'a> Watched<'a> {
    fn new(line: &'a Line) -> Self {
        Self {
            line,
            survived: 0,
            alarmed: 0,
        }
    }

    fn take_notice(&mut self, progress: &Progress<'_>) {
        let name = match progress {
            Progress::Started { faults, variants } => return self.line.start(faults + variants),
            Progress::Fault(on) => {
                self.survived += usize::from(on.killed_by.is_empty());
                on.name.clone()
            }
            Progress::Variant(on) => {
                self.alarmed += usize::from(!on.alarms.is_empty());
                on.name.clone()
            }
        };
        let mut wrong = String::new();
        for (count, what) in [(self.survived, "undetected"), (self.alarmed, "wrongly failed")] {
            if count > 0 {
                let _ = write!(wrong, "{count} {what} ");
            }
        }
        self.line.set_wrong(&wrong);
        self.line.set_message(name);
        self.line.advance();
    }
}

/// The faults and the variants as a table of contents.
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
        "\n{}, {}",
        counted(faults.len(), "fault"),
        counted(variants.len(), "legal variant")
    );
    text
}
