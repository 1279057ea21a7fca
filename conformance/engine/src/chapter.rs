//! Chapters of a list of cases.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A chapter of a list of cases: those whose ids have the same first part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Chapter {
    /// The first part of their ids.
    pub name: String,
    /// What they are about.
    pub title: String,
}

impl Chapter {
    /// Returns the distinct chapters, in order of first occurrence.
    pub(crate) fn distinct(all: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut distinct: Vec<Self> = Vec::new();
        for chapter in all {
            if !distinct.iter().any(|known| known.name == chapter.name) {
                distinct.push(chapter);
            }
        }
        distinct
    }
}
