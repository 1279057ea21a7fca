//! The guides: every link has a target, every command is accepted by cargo and names packages and examples that exist,
//! and every block of Rust is compiled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::shell::{self, Line};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// One Markdown file.
struct Guide {
    path: PathBuf,
    links: Vec<String>,
    anchors: BTreeSet<String>,
    /// The languages of its blocks of code.
    languages: Vec<String>,
}

impl Guide {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).unwrap();
        let mut guide = Self {
            path,
            links: Vec::new(),
            anchors: BTreeSet::new(),
            languages: Vec::new(),
        };
        let mut heading = None;
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. }) => guide.links.push(dest_url.to_string()),
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    guide.anchors.extend(heading.take().map(|text| anchor(&text)));
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    guide.languages.push(language.to_string());
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        guide
    }
}

/// Returns the anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let lower = heading.to_lowercase().replace(' ', "-");
    let keeps = |letter: &char| letter.is_alphanumeric() || "-_".contains(*letter);
    lower.chars().filter(keeps).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let guides: Vec<_> = shell::guides().into_iter().map(Guide::read).collect();
    let mut broken = Vec::new();
    for guide in &guides {
        let links = guide.links.iter();
        for link in links.filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => guide.path.clone(),
                file => guide.path.parent().unwrap().join(file),
            };
            if !leads_to(&target, heading, &guides) {
                broken.push(format!("{}: {link}", guide.path.display()));
            }
        }
    }
    assert!(guides.len() > 8, "{} guides were found", guides.len());
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

/// Returns whether a file exists and, if it is a guide, has the heading.
fn leads_to(target: &Path, heading: &str, guides: &[Guide]) -> bool {
    let Ok(target) = target.canonicalize() else {
        return false;
    };
    let mut others = guides.iter();
    heading.is_empty()
        || others.any(|other| other.path.canonicalize().unwrap() == target && other.anchors.contains(heading))
}

#[test]
fn every_cargo_command_is_accepted_and_names_what_exists() {
    let manifests = manifests();
    let exists = |kind: &str, name: &str| {
        let wanted = format!("name = \"{name}\"");
        let mut all = manifests.iter().map(|text| text.lines());
        match kind {
            "-p" | "--package" => all.any(|mut lines| lines.any(|line| line == wanted)),
            "--example" | "--test" | "--bench" => {
                let kind = format!("[[{}]]", &kind[2..]);
                all.any(|lines| {
                    let lines: Vec<_> = lines.collect();
                    lines.windows(2).any(|pair| pair[0] == kind && pair[1] == wanted)
                })
            }
            _ => true,
        }
    };
    let (mut wrong, mut checked) = (Vec::new(), 0);
    let commands = shell::commands();
    let commands = commands
        .iter()
        .filter(|command| command.words.iter().any(|word| word == "cargo"));
    for Line { guide, words } in commands {
        let of_cargo = words.split(|word| word == "--").next().unwrap_or_default();
        let of_cargo: Vec<_> = of_cargo.iter().skip_while(|word| *word != "cargo").cloned().collect();
        for pair in of_cargo.windows(2).filter(|pair| !exists(&pair[0], &pair[1])) {
            wrong.push(format!("{}: {pair:?} is not there", guide.display()));
        }
        checked += 1;
        // An alias passes its arguments to a program of the repository, which cargo would build.
        if of_cargo[1] == "codegen" {
            continue;
        }
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(REPOSITORY);
        if let Some(error) = shell::rejected(cargo, &of_cargo[1..]) {
            wrong.push(format!("{}: {words:?}: {error}", guide.display()));
        }
    }
    assert!(checked > 20, "{checked} commands were checked");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The tests of the kit and of the server have their programs parse their lines; the server's also run curl.
#[test]
fn every_command_is_of_a_kind_that_is_checked() {
    let checked = ["cargo", "curl", "platform-conformance", "platform-server-stub"];
    // These need other programs, and are not part of the project.
    let others = ["export", "cp", "jq", "podman", "python3", "schemathesis", "sort", "wc"];
    for Line { guide, words } in shell::commands() {
        let is_script = Path::new(REPOSITORY).join(&words[0]).is_file();
        let is_known = [&checked[..], &others].concat().contains(&&*words[0]) || is_script;
        assert!(is_known, "{}: {words:?}", guide.display());
    }
}

/// Blocks that `cargo test --doc` compiles are in guides that a crate includes. The guide for authors quotes code
/// instead, which a test of the kit compares.
#[test]
fn every_rust_block_is_compiled_or_compared() {
    let sources: String = ["conformance", "examples", "sdk", "server-stub", "server-stub/client"]
        .map(|folder| format!("{REPOSITORY}/{folder}/src/lib.rs"))
        .map(|path| fs::read_to_string(path).unwrap())
        .concat();
    let included = sources.matches("include_str!(\"../README.md\")").count();
    let included = included + sources.matches("include_str!(\"../../README.md\")").count();
    assert_eq!(included, 5, "the README of the repository and of four crates");
    let compiled = ["", "conformance", "sdk", "server-stub", "server-stub/client"];
    let compiled = compiled.map(|folder| Path::new(REPOSITORY).join(folder).join("README.md"));
    for guide in shell::guides().into_iter().map(Guide::read) {
        for language in guide.languages.iter().filter(|it| it.starts_with('r')) {
            let is_checked = match &**language {
                "rust" | "rust,no_run" => compiled.contains(&guide.path),
                _ => language == "rs" && guide.path.ends_with("AUTHORING.md"),
            };
            assert!(
                is_checked,
                "{}: a block of {language} is not compiled",
                guide.path.display()
            );
        }
    }
}

/// Returns the text of every `Cargo.toml` in the workspace.
fn manifests() -> Vec<String> {
    let root = fs::read_to_string(Path::new(REPOSITORY).join("Cargo.toml")).unwrap();
    let members = root.lines().skip_while(|line| *line != "members = [").skip(1);
    let members = members.take_while(|line| *line != "]");
    let of_member = |line: &str| {
        let folder = line.trim().trim_matches(&['"', ','][..]);
        fs::read_to_string(Path::new(REPOSITORY).join(folder).join("Cargo.toml")).unwrap()
    };
    members.map(of_member).collect()
}
