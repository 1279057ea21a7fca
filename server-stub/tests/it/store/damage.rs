//! A file that was damaged while no server had it open is rejected, or still holds all of its data.

use std::fs;

use platform_server_stub::store::{RedbLedger, StateError};
use serde_json::json;
use tempfile::TempDir;

use super::laws::{add, data, exported, item, plan};
use super::{durable, seed, state_file, wait};

/// Bytes in the header of a redb file that change with every commit.
const HEADER: usize = 320;
/// The byte of that header that selects one of the two last commits. The file has no second copy of it.
const LATEST: usize = 9;

#[test]
fn damaged_file_is_rejected_or_has_its_old_contents() {
    let data = data(json!([item(5, 1)]), json!([]));
    let home = TempDir::new().unwrap();
    let original = durable(&data, home);
    for organization in 2..=9 {
        wait(add(&*original, 2, organization, plan(&[1, 2]))).unwrap();
    }
    let held = wait(exported(&*original));
    let path = state_file(original.home.directory().path());
    // As a killed process leaves it, and as a stopped one does.
    let killed = fs::read(&path).unwrap();
    drop(original.ledger);
    let stopped = fs::read(&path).unwrap();

    let mut rejected = 0;
    let mut check = |bytes: &[u8], what: &str| {
        let home = TempDir::new().unwrap();
        fs::write(state_file(home.path()), bytes).unwrap();
        match RedbLedger::open(home.path(), &data.fingerprint(), seed(&data)) {
            Ok(ledger) => assert_eq!(wait(exported(&ledger)), held, "{what}"),
            Err(StateError::Damaged { .. } | StateError::Foreign(_)) => rejected += 1,
            Err(other) => panic!("{what}: {other}"),
        }
    };
    for whole in [&killed, &stopped] {
        check(whole, "whole");
        let header = (0..HEADER).step_by(13).filter(|place| *place != LATEST);
        let pages = (HEADER..whole.len()).step_by(whole.len() / 24);
        for place in header.chain(pages) {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x5a;
            check(&bytes, &format!("byte {place}"));
        }
        for length in (0..whole.len()).step_by(whole.len() / 8) {
            check(&whole[..length], &format!("cut to {length}"));
        }
    }
    assert!(rejected > 20, "{rejected}");
}
