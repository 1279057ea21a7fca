//! The samples in the guide are the output of the commands above them.

use std::fs;
use std::path::PathBuf;

use futures::future::join_all;
use regex::Regex;

use crate::program::Program;

/// A command of the guide, the sample below it, and what the program prints today.
struct Sample {
    command: String,
    shown: String,
    printed: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_are_what_the_commands_print() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let guide = fs::read_to_string(&path).unwrap();
    let blocks: Vec<&str> = guide.split("```").skip(1).step_by(2).collect();
    let samples = blocks.windows(2).filter_map(|pair| {
        let (command, shown) = (pair[0].strip_prefix("sh\n")?, pair[1].strip_prefix("text\n")?);
        let command = command.strip_suffix('\n')?;
        let is_sample = !command.contains('\n') && command.contains("-p platform-examples ");
        is_sample.then(|| run(command, shown))
    });
    let samples = join_all(samples).await;
    assert_eq!(samples.len(), 11, "one sample for each example");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return fs::write(path, updated(&guide, &samples)).unwrap();
    }
    for Sample {
        command,
        shown,
        printed,
    } in samples
    {
        let update = "run with UPDATE_EXPECT=1 to update the sample";
        assert_eq!(stable(&shown), stable(&printed), "{command}: {update}");
    }
}

async fn run(command: &str, shown: &str) -> Sample {
    let (_, example) = command.split_once("--example ").unwrap();
    let (name, args) = example.split_once(" -- ").unwrap_or((example, ""));
    let words = Regex::new(r#""([^"]*)"|(\S+)"#).unwrap();
    let args = words.captures_iter(args);
    let args: Vec<String> = args
        .map(|it| it.get(1).or(it.get(2)).unwrap().as_str().into())
        .collect();
    // A build for tests takes too long for 100,000 items.
    let fewer = (name == "export_pipeline").then_some("5000");
    let program = Program::new(name).args(args).args(fewer);
    let run = program.run().await;
    run.assert_success();
    let folder = run.folder.path().display().to_string();
    let mut printed = run.out.replace(&folder, "/tmp");
    if let Some(beginning) = shown.strip_suffix("…\n") {
        // The guide shows only the beginning.
        let lines = printed.lines().take(beginning.lines().count());
        printed = lines.map(|line| format!("{line}\n")).collect::<String>() + "…\n";
    }
    Sample {
        command: command.to_owned(),
        shown: shown.to_owned(),
        printed,
    }
}

fn updated(guide: &str, samples: &[Sample]) -> String {
    let mut guide = guide.to_owned();
    for sample in samples.iter().filter(|it| stable(&it.shown) != stable(&it.printed)) {
        let of = |text: &str| format!("{}\n```\n\n```text\n{text}```", sample.command);
        guide = guide.replace(&of(&sample.shown), &of(&sample.printed));
    }
    guide
}

/// Replaces what differs between runs: durations, ports, counts of retries, and the order of answers.
fn stable(text: &str) -> String {
    let mut text = text.to_owned();
    for (varying, name) in [
        (r" *\d+\.\d s\b", " <duration>"),
        (r"(No|\d+) requests? exceeded the quota[^.]*", "<requests>"),
        (r"\b(5|100),000 (rows|items)", "<number>"),
        (r"[\d.]+ [kM]B", "<size>"),
        (r"127\.0\.0\.1:\d\d+", "<address>"),
    ] {
        text = Regex::new(varying).unwrap().replace_all(&text, name).into_owned();
    }
    if text.contains("question.60") {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        text = lines.join("\n");
    }
    text
}
