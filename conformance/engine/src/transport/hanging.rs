//! Parts of a deployment that do not respond: after a few time-outs nothing more is sent to them, so that one hanging
//! pipeline delays a run by a minute and not an hour.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// After this many consecutive time-outs, nothing more is sent to a part.
const ATTEMPTS: u32 = 4;

/// The number of consecutive time-outs of each part.
#[derive(Debug, Default)]
pub(crate) struct Hanging {
    late: Mutex<BTreeMap<String, u32>>,
}

impl Hanging {
    /// The part of a path that nothing more is sent to, if it belongs to one.
    pub(crate) fn given_up<'a>(&self, path: &'a str) -> Option<&'a str> {
        let part = part(path);
        let late = self.late.lock().get(part).copied();
        (late >= Some(ATTEMPTS)).then_some(part)
    }

    /// Records a time-out.
    pub(crate) fn is_late(&self, path: &str) {
        *self.late.lock().entry(part(path).to_owned()).or_default() += 1;
    }

    /// Records a response.
    pub(crate) fn answers(&self, path: &str) {
        self.late.lock().remove(part(path));
    }
}

/// The part of a deployment that a path leads to: a pipeline with everything in it, or a route.
fn part(path: &str) -> &str {
    let path = path.split('?').next().unwrap_or_default();
    let mut end = 0;
    for segment in path.split_inclusive('/') {
        end += segment.len();
        let name = segment.trim_end_matches('/');
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
            return path[..end].trim_end_matches('/');
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hanging_pipeline_is_given_up_with_everything_in_it() {
        let hanging = Hanging::default();
        (0..ATTEMPTS).for_each(|_| hanging.is_late("/api/v1/pipelines/6/items?limit=1"));
        let values = "/api/v1/pipelines/6/items/60001/values";
        assert_eq!(hanging.given_up(values), Some("/api/v1/pipelines/6"));
        assert_eq!(hanging.given_up("/api/v1/pipelines/66/items"), None);
        hanging.answers(values);
        assert_eq!(hanging.given_up(values), None);
    }

    #[test]
    fn hanging_route_is_given_up_alone() {
        let hanging = Hanging::default();
        (0..ATTEMPTS).for_each(|_| hanging.is_late("/search/products/by-product?product_id=1"));
        assert!(hanging.given_up("/search/products/by-product").is_some());
        assert!(hanging.given_up("/search/products/by-description").is_none());
    }
}
