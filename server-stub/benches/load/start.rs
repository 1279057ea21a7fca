//! Time until the program's first response, with the built-in data, compared with a program that does nothing else.

use std::env;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use super::{BUILT_IN_STATUS, Client, Outcome, median, memory_kb};

const TURNS: usize = 21;

/// The argument that makes this benchmark the program that does nothing.
pub(super) const BARE: &str = "--bare-server";

/// A server as a separate process, which is killed when this is dropped.
pub(super) struct Program {
    process: Child,
    pub(super) address: SocketAddr,
}

impl Program {
    /// The reference server with these arguments.
    pub(super) async fn start(arguments: &[&str]) -> Outcome<Self> {
        let program = Path::new(env!("CARGO_BIN_EXE_platform-server-stub"));
        Self::run(program, &[&["--listen", "127.0.0.1:0"], arguments].concat()).await
    }

    async fn run(program: &Path, arguments: &[&str]) -> Outcome<Self> {
        let mut process = Command::new(program)
            .args(arguments)
            .stdout(Stdio::piped())
            // The access log.
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let output = process.stdout.take().ok_or("no output")?;
        let line = BufReader::new(output).lines().next_line().await?;
        let line = line.ok_or("the program ended")?;
        let address = line.rsplit('/').next().unwrap_or_default().parse()?;
        Ok(Self { process, address })
    }

    pub(super) fn id(&self) -> Outcome<String> {
        Ok(self.process.id().ok_or("the program ended")?.to_string())
    }
}

/// Answers every request with an empty response, until the process is killed.
pub(super) async fn bare_server() -> Outcome<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let greeting = format!("listening on http://{}\n", listener.local_addr()?);
    std::io::stdout().write_all(greeting.as_bytes())?;
    let routes = Router::new().route(BUILT_IN_STATUS, get(async || "ready"));
    Ok(axum::serve(listener, routes).await?)
}

#[derive(Default)]
struct Starts {
    taken: Vec<Duration>,
    memory: Vec<f64>,
    faults: Vec<f64>,
}

impl Starts {
    async fn note(&mut self, start: Instant, program: Program) -> Outcome<()> {
        let mut client = Client::connect(program.address).await?;
        client.get(BUILT_IN_STATUS).await?;
        self.taken.push(start.elapsed());
        let id = program.id()?;
        self.memory.push(memory_kb(&id, "VmRSS:")?);
        self.faults.push(page_faults(&id)?);
        Ok(())
    }

    fn print(mut self, name: &str) -> Duration {
        let least = self.taken.iter().min().copied().unwrap_or_default();
        let half = median(self.taken);
        self.memory.sort_by(f64::total_cmp);
        self.faults.sort_by(f64::total_cmp);
        println!(
            "  {name:25} {half:.1?}, at best {least:.1?}, {:.1} MB, {:.0} page faults",
            self.memory[TURNS / 2] / 1e3,
            self.faults[TURNS / 2]
        );
        half
    }
}

pub(super) async fn built_in_data() -> Outcome<()> {
    println!("start of a program to its first answer, median of {TURNS}");
    let (mut ours, mut bare) = (Starts::default(), Starts::default());
    let this = env::current_exe()?;
    // In turns, so that a busy machine slows both equally.
    for _ in 0..TURNS {
        let start = Instant::now();
        ours.note(start, Program::start(&[]).await?).await?;
        let start = Instant::now();
        bare.note(start, Program::run(&this, &[BARE]).await?).await?;
    }
    let (ours, bare) = (ours.print("built-in data"), bare.print("axum that does nothing"));
    println!("  difference                {:.1?}", ours.saturating_sub(bare));
    println!(
        "  ratio                     {:.2}",
        ours.as_secs_f64() / bare.as_secs_f64()
    );
    Ok(())
}

/// Page faults of a process that needed no disk.
fn page_faults(process: &str) -> Outcome<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program, in brackets, may have spaces.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let faults = fields.split_whitespace().nth(7);
    Ok(faults.ok_or("no such figure")?.parse()?)
}
