//! The fields that most records of a list have.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::path::{Path, at, is_there, leaves, number, plain};

/// The number of records that are looked at.
const LOOKED_AT: usize = 25;

/// The words for the score that results are ranked by, the likeliest first.
const SCORES: [&[&str]; 4] = [
    &[
        "similarity",
        "distance",
        "cosine",
        "cosdist",
        "cossim",
        "vectordist",
        "vectorsim",
    ],
    &["relevance"],
    &["score"],
    &["match"],
];
/// The names that are words for a score, and no parts of others.
const NAMES_OF_SCORES: [&str; 3] = ["cos", "dist", "sim"];
/// The words for other scores.
const OTHER_SCORES: [&str; 8] = [
    "certainty",
    "competitive",
    "confidence",
    "credit",
    "health",
    "rating",
    "risk",
    "weight",
];

/// The place of the least rank, and of those the one that is furthest out; none if there are several.
fn best_of<R: Ord>(paths: &BTreeSet<Path>, rank: impl Fn(&Path) -> Option<R>) -> Option<Path> {
    let ranked = paths.iter().filter_map(|path| Some((rank(path)?, path.len(), path)));
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort();
    let (rank, length, best) = ranked.first()?;
    let is_only = ranked
        .get(1)
        .is_none_or(|second| (&second.0, &second.1) != (rank, length));
    is_only.then(|| (*best).clone())
}

/// The fields of some records.
pub(super) struct Fields<'a> {
    records: Vec<&'a Value>,
    /// The places that most of them have.
    paths: BTreeSet<Path>,
    /// The places that fewer have: an object with more fields may be null in the others.
    rare: BTreeSet<Path>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(records: &'a [Value]) -> Self {
        let records: Vec<_> = records.iter().take(LOOKED_AT).collect();
        let mut counts = BTreeMap::<Path, usize>::new();
        for (path, _) in records.iter().flat_map(|record| leaves(record)) {
            *counts.entry(path).or_default() += 1;
        }
        let (paths, rare): (Vec<_>, Vec<_>) = counts.into_iter().partition(|(_, count)| 2 * count > records.len());
        let [paths, rare] = [paths, rare].map(|counted| counted.into_iter().map(|(path, _)| path).collect());
        Self { records, paths, rare }
    }

    /// The number of records.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.paths.contains(path)
    }

    /// Whether any record has something at a path, even null.
    pub(super) fn any_has(&self, path: &[String]) -> bool {
        self.records.iter().any(|record| is_there(record, path))
    }

    /// The place of the least rank, and of those the one that is furthest out; none if there are several.
    pub(super) fn best<R: Ord>(&self, rank: impl Fn(&Path) -> Option<R>) -> Option<Path> {
        best_of(&self.paths, rank)
    }

    /// The same, of all records that have any such place, if most have none.
    pub(super) fn best_of_any<R: Ord>(&self, rank: impl Fn(&Path) -> Option<R>) -> Option<Path> {
        let has_none = !self.paths.iter().any(|path| rank(path).is_some());
        best_of(if has_none { &self.rare } else { &self.paths }, rank)
    }

    /// The whole numbers at a place, if most records have one there. They may be texts.
    pub(super) fn ids(&self, path: &[String]) -> Option<Vec<i64>> {
        let id = |value: &Value| value.as_i64().or_else(|| value.as_str()?.parse().ok());
        let ids: Vec<_> = self.values(path).filter_map(id).collect();
        (2 * ids.len() > self.len()).then_some(ids)
    }

    /// Whether any value at a place is a text.
    pub(super) fn has_texts(&self, path: &[String]) -> bool {
        self.values(path).any(Value::is_string)
    }

    /// The place of the score that results are ranked by, and whether it is the only one that may be: a number with a
    /// word for it in its own name, or else in one of the names that lead to it. One of several is the one in order, if
    /// any rises or falls.
    pub(super) fn score(&self) -> Option<(Path, bool)> {
        let last = |path: &Path| path.last().map_or_else(String::new, |name| plain(name));
        let whole = |path: &Path| plain(&path.concat());
        let mut scores = self.scores_named(last).or_else(|| self.scores_named(whole))?;
        if scores.iter().any(|path| self.steps(path) != (0, 0)) && scores.len() > 1 {
            scores.retain(|path| matches!(self.steps(path), (0, 1..) | (1.., 0)));
        }
        let is_only = scores.len() == 1;
        let score = scores.into_iter().min_by_key(|path| path.len())?;
        Some((score.clone(), is_only))
    }

    /// The places of numbers whose names have one of the likeliest words for a score.
    fn scores_named(&self, name: impl Fn(&Path) -> String) -> Option<Vec<&Path>> {
        let has = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
        let is_other = |path: &Path| has(&plain(&path.concat()), &OTHER_SCORES);
        let numbers = self.paths.iter().filter(|path| self.are_numbers(path));
        let numbers: Vec<_> = numbers.filter(|path| !is_other(path)).collect();
        let is_named = |name: &str, class: &[&str]| {
            let is_likeliest = class == SCORES[0];
            has(name, class) || is_likeliest && NAMES_OF_SCORES.contains(&name)
        };
        let of_class = |class: &[&str]| {
            let named = numbers.iter().filter(|path| is_named(&name(path), class));
            named.copied().collect()
        };
        let mut classes = SCORES.into_iter().map(of_class);
        classes.find(|scores: &Vec<_>| !scores.is_empty())
    }

    /// Whether the scores at a place are similarities, and whether that is certain. A distance is called so.
    pub(super) fn are_similarities(&self, path: &[String]) -> (bool, bool) {
        let is_distance = plain(&path.concat()).contains("dist");
        let (falls, rises) = self.steps(path);
        (!is_distance && falls >= rises, is_distance || falls != rises)
    }

    /// How often the numbers at a place fall, and how often they rise.
    fn steps(&self, path: &[String]) -> (usize, usize) {
        let numbers = self.numbers(path);
        let falls = numbers.windows(2).filter(|pair| pair[0] > pair[1]).count();
        let rises = numbers.windows(2).filter(|pair| pair[0] < pair[1]).count();
        (falls, rises)
    }

    /// Whether most records have a number at a place.
    pub(super) fn are_numbers(&self, path: &[String]) -> bool {
        2 * self.numbers(path).len() > self.len()
    }

    fn numbers(&self, path: &[String]) -> Vec<f64> {
        self.values(path).filter_map(number).collect()
    }

    fn values<'b>(&'b self, path: &'b [String]) -> impl Iterator<Item = &'a Value> + 'b {
        self.records.iter().map(|record| at(record, path))
    }
}
