//! The commands in the `sh` blocks of the guides. The tests of the kit and of the server use this file too.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// An option that no program has. A program that rejects this one has accepted all arguments before it.
const UNKNOWN: &str = "--not-an-option";

/// A command, as words without quotation marks.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) guide: PathBuf,
    pub(crate) words: Vec<String>,
}

impl Line {
    /// Returns the arguments that the command passes to the program of a package.
    pub(crate) fn arguments_of(&self, package: &str) -> Option<&[String]> {
        let words = &self.words;
        let package = words.iter().position(|word| word == package)?;
        if words[0] != "cargo" {
            // An image or a volume may have the name of the program.
            let is_value = package > 0 && words[package - 1].starts_with('-');
            return (!is_value).then_some(&words[package + 1..]);
        }
        let separator = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let is_run = words[1] == "run" && !words.iter().any(|word| word == "--example");
        (is_run && package < separator).then(|| words.get(separator + 1..).unwrap_or_default())
    }
}

/// Returns the paths of all Markdown files of the repository, except built or installed ones.
pub(crate) fn guides() -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from(REPOSITORY)];
    let mut guides = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            let is_left_out = ["target", "node_modules", ".git"].contains(&&*name);
            if path.is_dir() && !is_left_out {
                folders.push(path);
            } else if name.ends_with(".md") {
                guides.push(path);
            }
        }
    }
    guides
}

/// Returns the commands of all guides.
pub(crate) fn commands() -> Vec<Line> {
    guides().iter().flat_map(|guide| commands_of(guide)).collect()
}

/// Returns the commands of a guide.
pub(crate) fn commands_of(guide: &Path) -> Vec<Line> {
    let text = fs::read_to_string(guide).unwrap();
    let blocks = text.split("\n```").skip(1).step_by(2);
    let blocks = blocks.filter_map(|block| block.strip_prefix("sh\n"));
    let lines = blocks.flat_map(|block| split(&block.replace("\\\n", " ")));
    lines
        .map(|words| Line {
            guide: guide.to_owned(),
            words,
        })
        .collect()
}

/// Splits a block into commands, and each of them into words. Variables that are set for one command are left out.
fn split(block: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words, mut word) = (Vec::new(), Vec::new(), None::<String>);
    let mut quote = None;
    let mut letters = block.chars().chain(['\n']).peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => while letters.next_if(|it| *it != '\n').is_some() {},
            (None, ' ' | '\n' | '|') => {
                words.extend(word.take());
                if letter != ' ' {
                    commands.push(std::mem::take(&mut words));
                }
            }
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    for command in &mut commands {
        let is_variable = |word: &String| word.split_once('=').is_some_and(|(name, _)| is_name(name));
        let variables = command.iter().take_while(|word| is_variable(word)).count();
        command.drain(..variables);
    }
    commands.retain(|command| !command.is_empty());
    commands
}

fn is_name(word: &str) -> bool {
    word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
}

/// Returns why a program rejects arguments, if it does. It parses them and does nothing else.
pub(crate) fn rejected(mut program: Command, arguments: &[String]) -> Option<String> {
    let output = program.args(arguments).arg(UNKNOWN).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_accepted = error.contains(&format!("unexpected argument '{UNKNOWN}'"));
    (output.status.success() || !is_accepted).then_some(error)
}

#[test]
fn block_is_split_like_a_shell_does() {
    let block = "KEY=a tool --only 'x y' \"$PWD:/data\" | jq -r '.[] | .id'  # then\n# a comment\ntool b#c\n";
    let expected: [&[&str]; 3] = [
        &["tool", "--only", "x y", "$PWD:/data"],
        &["jq", "-r", ".[] | .id"],
        &["tool", "b#c"],
    ];
    assert_eq!(split(block), expected);
}
