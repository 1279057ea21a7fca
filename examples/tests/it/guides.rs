//! The guides: every link has a target, and every command names packages and examples that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// One Markdown file.
struct Guide {
    path: PathBuf,
    links: Vec<String>,
    anchors: BTreeSet<String>,
    /// The lines of its `sh` blocks.
    commands: Vec<String>,
}

impl Guide {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).unwrap();
        let mut guide = Self {
            path,
            links: Vec::new(),
            anchors: BTreeSet::new(),
            commands: Vec::new(),
        };
        let (mut heading, mut is_shell) = (None, false);
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. }) => guide.links.push(dest_url.to_string()),
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    guide.anchors.extend(heading.take().map(|text| anchor(&text)));
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    is_shell = &*language == "sh";
                }
                Event::End(TagEnd::CodeBlock) => is_shell = false,
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                    if is_shell {
                        let lines = text.lines().map(str::to_owned);
                        guide.commands.extend(lines);
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

/// Returns all Markdown files of the repository, except built or installed ones.
fn guides() -> Vec<Guide> {
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
                guides.push(Guide::read(path));
            }
        }
    }
    guides
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let guides = guides();
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
fn every_command_names_what_exists() {
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
    let mut missing = Vec::new();
    let mut checked = 0;
    for guide in guides() {
        let commands = guide.commands.iter().filter(|line| line.contains("cargo "));
        for command in commands {
            let words: Vec<_> = command.split_whitespace().collect();
            let of_cargo = words.split(|word| *word == "--").next().unwrap_or_default();
            for pair in of_cargo.windows(2) {
                checked += 1;
                if !exists(pair[0], pair[1]) {
                    missing.push(format!("{}: {command}", guide.path.display()));
                }
            }
        }
    }
    assert!(checked > 20, "{checked} pairs of words were checked");
    assert!(missing.is_empty(), "name nothing:\n{}", missing.join("\n"));
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
