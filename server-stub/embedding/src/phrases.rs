//! Phrases that mean more than their tokens: sequences of tokens with a separate row.
//!
//! A phrase is a word that the vocabulary splits into pieces, such as "restaurateurs", or a pair of words that often
//! occur together, such as "street lighting". Its row is added to the rows of its tokens.

/// Number of tokens in the longest phrase.
pub(super) const LONGEST: usize = 5;

/// A stored phrase: big-endian tokens, padded with zeros. Token 0 is padding and occurs in no text.
pub(super) type Stored = [[u8; 2]; LONGEST];

/// The phrases, in the order of their bytes.
pub(super) struct Phrases {
    stored: &'static [Stored],
    /// For each token the number of the first phrase that begins with it or with a later token.
    starts: Vec<u32>,
}

impl Phrases {
    /// Indexes phrases over a vocabulary of this many tokens. The phrases are sorted, without duplicates.
    pub(super) fn new(stored: &'static [Stored], vocabulary: usize) -> Self {
        let mut starts = vec![0; vocabulary + 1];
        for [first, ..] in stored {
            starts[usize::from(u16::from_be_bytes(*first)) + 1] += 1;
        }
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        Self { stored, starts }
    }

    /// Number of phrases.
    pub(super) fn len(&self) -> usize {
        self.stored.len()
    }

    /// The numbers of all phrases in a text, given its tokens. Phrases may overlap.
    pub(super) fn find(&self, tokens: &[usize]) -> Vec<usize> {
        let mut found = Vec::new();
        for (position, &first) in tokens.iter().enumerate() {
            let start = self.starts[first] as usize;
            let candidates = &self.stored[start..self.starts[first + 1] as usize];
            if candidates.is_empty() {
                continue;
            }
            let mut phrase = Stored::default();
            for (length, &token) in tokens[position..].iter().take(LONGEST).enumerate() {
                phrase[length] = (token as u16).to_be_bytes();
                if let Ok(index) = candidates.binary_search(&phrase) {
                    found.push(start + index);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(tokens: &[u16]) -> Stored {
        let mut phrase = Stored::default();
        for (place, token) in phrase.iter_mut().zip(tokens) {
            *place = token.to_be_bytes();
        }
        phrase
    }

    /// The phrases 2 3, 2 3 4, 2 300, 5 2 and 299 1 2 3 4, over 301 tokens.
    fn phrases() -> Phrases {
        let all: [&[u16]; 5] = [&[2, 3], &[2, 3, 4], &[2, 300], &[5, 2], &[299, 1, 2, 3, 4]];
        Phrases::new(Vec::leak(all.map(stored).to_vec()), 301)
    }

    #[test]
    fn every_phrase_of_a_text_is_found() {
        let cases: [(&[usize], &[usize]); 8] = [
            (&[], &[]),
            (&[2], &[]),
            (&[2, 3], &[0]),
            (&[1, 2, 3, 4], &[0, 1]),
            (&[5, 2, 300, 300], &[3, 2]),
            (&[299, 1, 2, 3, 4], &[4, 0, 1]),
            (&[299, 1, 2, 3], &[0]),
            (&[2, 3, 2, 3], &[0, 0]),
        ];
        for (tokens, expected) in cases {
            assert_eq!(phrases().find(tokens), expected, "{tokens:?}");
        }
    }

    #[test]
    fn first_and_the_last_token_of_the_vocabulary_begin_no_phrase() {
        assert!(phrases().find(&[0, 300, 0]).is_empty());
        assert_eq!(phrases().len(), 5);
    }
}
