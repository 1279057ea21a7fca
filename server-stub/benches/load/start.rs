//! Time until the program's first response, with the built-in data.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Instant;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::{Client, Outcome, STATUS, median, memory_kb};

const TURNS: usize = 11;

/// The server as a separate process, which is killed when this is dropped.
pub(super) struct Program {
    process: Child,
    pub(super) address: SocketAddr,
}

impl Program {
    pub(super) async fn start(arguments: &[&str]) -> Outcome<Self> {
        let mut process = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"))
            .args(["--listen", "127.0.0.1:0"])
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

pub(super) async fn built_in_data() -> Outcome<()> {
    let (mut taken, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let start = Instant::now();
        let program = Program::start(&[]).await?;
        Client::connect(program.address).await?.get(STATUS).await?;
        taken.push(start.elapsed());
        memory.push(memory_kb(&program.id()?, "VmRSS:")?);
    }
    memory.sort_by(f64::total_cmp);
    println!("start of the program to its first answer, built-in data, median of {TURNS}");
    println!("  time                      {:.1?}", median(taken));
    println!("  memory                    {:.1} MB", memory[TURNS / 2] / 1e3);
    Ok(())
}
