//! `selftest`: what the kit is worth, for a person and for a program.

use std::fmt::Write as _;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use platform_conformance::selftest::{self, JudgeError, Judgement, Plan, Progress, Witness, judge};
use platform_conformance::{Pattern, RunError, exit_code};
use tokio::net::TcpListener;

use super::print;

/// How many cases that notice a fault, and lines of a list, are shown.
const SHOWN: usize = 8;

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
    #[error("the judgement {} could not be written", .0.display())]
    Write(PathBuf, #[source] std::io::Error),
}

impl SelftestError {
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::NoSuch(_)
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
        let mut shown = Shown::default();
        let judgement = judge(&plan, |progress| shown.take_notice(&progress)).await?;
        shown.clear();
        if let Some(path) = &self.json {
            let written = serde_json::to_string_pretty(&judgement)
                .map_err(std::io::Error::other)
                .and_then(|text| std::fs::write(path, text + "\n"));
            written.map_err(|error| SelftestError::Write(path.clone(), error))?;
        }
        print(&totals(&judgement));
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
        let listener = TcpListener::bind(self.listen)
            .await
            .map_err(SelftestError::Serve)?;
        let address = listener.local_addr().map_err(SelftestError::Serve)?;
        let stopped = async {
            // Without a signal to wait for there is nobody to stop it either.
            let _ = tokio::signal::ctrl_c().await;
        };
        let told = |what: &str| print(&format!("http://{address}  {name}: {what}\n"));
        let served = match (fault, variant) {
            (Some(fault), _) => {
                told(fault.wrong);
                selftest::serve_fault(&fault, self.seed, listener, stopped).await
            }
            (None, Some(variant)) => {
                told(variant.differs);
                selftest::serve_variant(&variant, self.seed, listener, stopped).await
            }
            (None, None) => return Err(SelftestError::NoSuch(name.to_owned())),
        };
        served.map_err(SelftestError::Serve)?;
        Ok(exit_code::PASSED)
    }
}

/// What is shown while the kit is judged: one line that is written over and over, on a terminal.
#[derive(Default)]
struct Shown {
    judged: usize,
    survived: usize,
    alarmed: usize,
}

impl Shown {
    fn take_notice(&mut self, progress: &Progress<'_>) {
        self.judged += 1;
        let name = match progress {
            Progress::Fault(on) => {
                self.survived += usize::from(on.killed_by.is_empty());
                on.name.as_str()
            }
            Progress::Variant(on) => {
                self.alarmed += usize::from(!on.alarms.is_empty());
                on.name.as_str()
            }
        };
        // A line that is wider than the terminal could not be overwritten.
        let name: String = name.chars().take(32).collect();
        self.write(&format!(
            "\r\x1b[2K{} deployments, {} survived, {} alarmed  {name}",
            self.judged, self.survived, self.alarmed
        ));
    }

    fn clear(&self) {
        self.write("\r\x1b[2K");
    }

    fn write(&self, text: &str) {
        let mut out = anstream::stderr();
        if out.is_terminal() {
            // Progress that nobody can see is no reason to stop.
            let _ = out.write_all(text.as_bytes());
        }
    }
}

/// Every survivor and every alarm, the cases that notice nothing, and the totals.
fn totals(judgement: &Judgement) -> String {
    let mut text = String::new();
    for on in judgement.survivors() {
        let _ = writeln!(
            text,
            "survived  {}  {}\n          {}",
            on.name, on.wrong, on.clause
        );
    }
    for on in judgement.alarmed() {
        let _ = writeln!(text, "alarmed   {}  {}", on.name, on.differs);
        for alarm in on.alarms.iter().take(SHOWN) {
            let _ = writeln!(text, "          {}", alarm.case);
            if let Some(reason) = &alarm.reason {
                let _ = writeln!(text, "            {reason}");
            }
            for finding in alarm.findings.iter().take(1) {
                let _ = writeln!(
                    text,
                    "            {}\n              expected  {}\n              seen      {}",
                    finding.what, finding.expected, finding.seen
                );
            }
        }
        if let Some(more) = on.alarms.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let _ = writeln!(text, "          and {more} more");
        }
    }
    for family in selftest::faults::FAMILIES {
        let of = |name: &str| name.split('/').next() == Some(family.name);
        let faults: Vec<_> = judgement.faults.iter().filter(|on| of(&on.name)).collect();
        let killed = faults.iter().filter(|on| !on.killed_by.is_empty()).count();
        if !faults.is_empty() {
            let _ = writeln!(
                text,
                "{killed:>4}/{:<4} {:<12} {}",
                faults.len(),
                family.name,
                family.title
            );
        }
    }
    if judgement.matrix {
        let idle = &judgement.idle_cases;
        let _ = writeln!(
            text,
            "\n{} cases notice no fault{}",
            idle.len(),
            if idle.is_empty() { "" } else { ":" }
        );
        idle.iter().for_each(|id| {
            let _ = writeln!(text, "  {id}");
        });
    }
    let seconds = Duration::from_millis(judgement.duration_ms).as_secs_f64();
    let (faults, variants) = (judgement.faults.len(), judgement.variants.len());
    let alarmed = judgement.alarmed().len();
    text.push('\n');
    if faults > 0 {
        #[expect(clippy::cast_precision_loss, reason = "hundreds of faults")]
        let rate = 100.0 * judgement.killed() as f64 / faults as f64;
        let _ = writeln!(
            text,
            "{} of {faults} faults killed ({rate:.1} %)",
            judgement.killed()
        );
        if let Some((half, most)) = judgement.requests_to_kill()
            && !judgement.matrix
        {
            let _ = writeln!(
                text,
                "requests to the first kill: {half} in the median, {most} at the most"
            );
        }
    }
    if variants > 0 {
        let _ = writeln!(text, "{alarmed} of {variants} legal variants alarmed");
    }
    let _ = writeln!(text, "seed {}, {seconds:.1} s", judgement.seed);
    text
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
