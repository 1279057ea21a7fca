//! Instruction counts, which are repeatable even on a busy machine.
//!
//! valgrind runs this program once for each side of each pair, and counts only inside one function, on its
//! thread. The count excludes the one-time work of a first call and the work of the server.

use std::hint::black_box;
use std::process::Command;
use std::{env, fs};

use crate::Failure;
use crate::pair::{Pair, Way};

/// The argument that marks the process under valgrind. The pair's name and the side follow.
pub(crate) const WATCHED: &str = "watched";

const OURS: &str = "ours";
const PEER: &str = "peer";

/// The number of warm-up runs before counting.
const UNCOUNTED: u32 = 5;

/// Counts each pair, and prints the instructions of both sides and their ratio.
pub(crate) fn count(pairs: &[Pair<'_>]) -> Result<(), Failure> {
    println!("| instructions | SDK | peer | ratio |\n|---|---:|---:|---:|");
    for pair in pairs {
        let ours = count_one(pair, OURS)?;
        let peer = count_one(pair, PEER)?;
        let ratio = ours as f64 / peer as f64;
        println!("| {} | {ours} | {peer} | {ratio:.3} |", pair.name);
    }
    println!();
    Ok(())
}

/// Counts one side of a pair. The profile stays next to the program, for `callgrind_annotate`.
fn count_one(pair: &Pair<'_>, way: &str) -> Result<u64, Failure> {
    let program = env::current_exe()?;
    let profile = format!("{}.{way}.callgrind", pair.name.replace(' ', "-"));
    let profile = program.with_file_name(profile);
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*instructions::counted*"])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(program)
        .args(["--bench", WATCHED, pair.name, way])
        .output()
        .map_err(|error| format!("valgrind, which counts instructions, cannot be run: {error}"))?;
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into());
    }
    let text = fs::read_to_string(&profile)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    let total: u64 = total.ok_or("the profile has no total")?.trim().parse()?;
    Ok(total / u64::from(pair.counted))
}

/// Runs one side of a pair, in the process under valgrind.
pub(crate) fn be_watched(pairs: &[Pair<'_>], name: &str, way: &str) -> Result<(), Failure> {
    let pair = pairs.iter().find(|pair| pair.name == name);
    let pair = pair.ok_or_else(|| format!("unknown pair {name}"))?;
    let way = if way == OURS { &pair.ours } else { &pair.peer };
    for _ in 0..UNCOUNTED {
        way()?;
    }
    for _ in 0..pair.counted {
        counted(way)?;
    }
    Ok(())
}

/// The function whose instructions are counted, including everything it calls.
#[inline(never)]
fn counted(way: &Way<'_>) -> Result<(), Failure> {
    black_box(way)()
}
