//! The guides: the program accepts its command lines, and the counts are those of today.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::expect_file;
use platform_conformance::points;
use regex::Regex;

#[path = "../../../examples/tests/it/shell.rs"]
#[allow(dead_code)]
mod shell;

#[test]
fn every_command_line_of_the_program_is_accepted() {
    let (mut checked, mut rejected) = (0, Vec::new());
    for command in shell::commands() {
        let Some(arguments) = command.arguments_of("platform-conformance") else {
            continue;
        };
        let program = Command::new(env!("CARGO_BIN_EXE_platform-conformance"));
        if let Some(error) = shell::rejected(program, arguments) {
            rejected.push(format!("{}: {arguments:?}: {error}", command.guide.display()));
        }
        checked += 1;
    }
    assert!(checked >= 12, "{checked} command lines were found");
    assert!(rejected.is_empty(), "{}", rejected.join("\n"));
}

/// After a change of the points run `UPDATE_EXPECT=1 cargo test -p platform-conformance --test it -- guides::`.
#[test]
fn guide_counts_the_decision_points() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(&path).unwrap();
    let counted = Regex::new(r"\d+ such points").unwrap();
    assert_eq!(counted.find_iter(&text).count(), 1);
    let current = format!("{} such points", points().len());
    let current = counted.replace(&text, &*current).into_owned();
    expect_file![path].assert_eq(&current);
}
