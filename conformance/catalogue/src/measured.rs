//! The number of requests that each case needs on the reference server, as measured in `requests.txt` beside this
//! package. The kit's test `requests` compares the file with a run, and writes it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine::case::Case;

/// The number of property runs that each case of the group `law` made when it was measured.
pub const MEASURED_WALKS: u64 = 8;

static REQUESTS: LazyLock<BTreeMap<&str, u64>> = LazyLock::new(|| {
    let lines = include_str!("../requests.txt").lines();
    let measured = lines.filter_map(|line| {
        let (id, requests) = line.split_once(' ')?;
        Some((id, requests.parse().ok()?))
    });
    measured.collect()
});

/// Returns the case with its measured number of requests. A new case has none until it is measured.
pub(crate) fn measured(case: Case) -> Case {
    match REQUESTS.get(case.id.as_str()) {
        Some(requests) => case.measured(*requests, MEASURED_WALKS),
        None => case,
    }
}
