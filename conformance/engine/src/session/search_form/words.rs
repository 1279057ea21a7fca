//! The words of a deployment for those that the contract lists, such as the stages of funding.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::path::plain;
use crate::target::search_names::{self, SearchNames};

/// The words as results show them.
#[derive(Debug, Default)]
pub(super) struct Words {
    names: SearchNames,
    /// The word of the deployment by that of the contract, for those that differ in case and in marks between words.
    seen: Mutex<BTreeMap<String, String>>,
}

impl Words {
    pub(super) fn of(names: &SearchNames) -> Self {
        Self {
            names: names.clone(),
            seen: Mutex::default(),
        }
    }

    /// The word of the contract for one of the deployment.
    pub(super) fn read(&self, listed: &[String], theirs: &str) -> Option<String> {
        let is_listed = |word: &&str| listed.iter().any(|known| known == word);
        if let Some(named) = self.names.word_of(theirs).filter(is_listed) {
            return Some(named.to_owned());
        }
        let word = listed.iter().find(|word| plain(word) == plain(theirs))?;
        if word != theirs {
            self.seen.lock().insert(word.clone(), theirs.to_owned());
        }
        Some(word.clone())
    }

    /// Writes the words in a query as results show them.
    pub(super) fn write(&self, query: &mut [String]) {
        let seen = self.seen.lock();
        for pair in query {
            let theirs = pair.split_once('=').and_then(|(name, word)| {
                let theirs = seen.get(word)?;
                search_names::takes(name, word).then(|| format!("{name}={}", search_names::encoded(theirs)))
            });
            if let Some(theirs) = theirs {
                *pair = theirs;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_written_as_they_were_seen() {
        let names = SearchNames::default().with_value("funding_stages", "angel", "Business Angels");
        let words = Words::of(&names.unwrap());
        let listed = ["seed", "series_a", "pre_seed", "angel"].map(str::to_owned);
        let read = |theirs| words.read(&listed, theirs);
        assert_eq!(read("Series A").as_deref(), Some("series_a"));
        assert_eq!(read("PRE-SEED").as_deref(), Some("pre_seed"));
        assert_eq!(read("seed").as_deref(), Some("seed"));
        assert_eq!(read("Business Angels").as_deref(), Some("angel"));
        assert_eq!(read("Series Z"), None);
        let query = [
            "funding_stages=series_a",
            "funding_stages=seed",
            "description=series_a",
            "funding_stages",
        ];
        let mut query = query.map(str::to_owned);
        words.write(&mut query);
        let expected = [
            "funding_stages=Series+A",
            "funding_stages=seed",
            "description=series_a",
            "funding_stages",
        ];
        assert_eq!(query, expected);
    }
}
