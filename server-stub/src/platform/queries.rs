//! Encodes search texts: with the table, or with a transformer on threads beside the runtime.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::store_error::StoreError;
use crate::store::Pool;
use platform_embedding::vector::Vector;
use platform_embedding::{Aspect, QueryEncoder, embed};

/// Texts in a generation, which are kept with their vectors. There are two generations for each of two aspects. They
/// take 10 MB at most, if every text has 2000 characters of two bytes each.
const KEPT: usize = 512;

/// Encodes search texts. Clones share everything.
#[derive(Debug, Clone)]
pub(super) enum Queries {
    /// With the table, in microseconds.
    Table,
    /// With a transformer, in milliseconds.
    Transformer(Arc<Transformed>),
}

/// A transformer, and the vectors of recently encoded texts: a client that pages through results, or changes the
/// filters, sends the same text again.
#[derive(Debug)]
pub(super) struct Transformed {
    encoder: Arc<QueryEncoder>,
    pool: Pool,
    offer: Mutex<Recent>,
    customers: Mutex<Recent>,
}

impl Queries {
    /// Encodes with a transformer, on the threads of a pool.
    pub(super) fn by(encoder: QueryEncoder, pool: Pool) -> Self {
        Self::Transformer(Arc::new(Transformed {
            encoder: Arc::new(encoder),
            pool,
            offer: Mutex::default(),
            customers: Mutex::default(),
        }))
    }

    /// The vector of a search text, to be compared with the records' vectors for one aspect.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when too many searches wait for a thread.
    pub(super) async fn vector(&self, text: &str, aspect: Aspect) -> Result<Vector, StoreError> {
        match self {
            Self::Table => Ok(embed(text)),
            Self::Transformer(transformed) => transformed.vector(text, aspect).await,
        }
    }
}

impl Transformed {
    async fn vector(&self, text: &str, aspect: Aspect) -> Result<Vector, StoreError> {
        if let Some(known) = self.recent(aspect).get(text) {
            return Ok(known);
        }
        let (encoder, owned) = (Arc::clone(&self.encoder), text.to_owned());
        let vector = self.pool.run(move || encoder.embed(&owned, aspect)).await?;
        self.recent(aspect).keep(text, &vector);
        Ok(vector)
    }

    fn recent(&self, aspect: Aspect) -> MutexGuard<'_, Recent> {
        let recent = match aspect {
            Aspect::Offer => &self.offer,
            Aspect::Customers => &self.customers,
        };
        // Even if another holder panicked, the vectors in it are right.
        recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The vectors of recent texts, in two generations. A full younger generation becomes the older one. Texts of the old
/// one are forgotten unless they were used again.
#[derive(Debug, Default)]
struct Recent {
    younger: HashMap<Box<str>, Vector>,
    older: HashMap<Box<str>, Vector>,
}

impl Recent {
    fn get(&mut self, text: &str) -> Option<Vector> {
        if let Some(vector) = self.younger.get(text) {
            return Some(vector.clone());
        }
        let vector = self.older.remove(text)?;
        self.keep(text, &vector);
        Some(vector)
    }

    fn keep(&mut self, text: &str, vector: &Vector) {
        if self.younger.len() >= KEPT {
            self.older = std::mem::take(&mut self.younger);
        }
        self.younger.insert(text.into(), vector.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::mpsc;

    use futures::{FutureExt, poll};

    use super::*;

    #[tokio::test]
    async fn new_text_waits_for_a_thread_of_the_pool_and_a_recent_one_does_not() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("embedding/tests/fixtures/tiny-model");
        let pool = Pool::of(1, 1);
        let queries = Queries::by(QueryEncoder::open(&directory).unwrap(), pool.clone());
        let known = queries.vector("pumps", Aspect::Offer).await.unwrap();
        let (release, held) = mpsc::channel::<()>();
        let mut busy = Box::pin(pool.run(move || held.recv().is_err()));
        assert!(poll!(&mut busy).is_pending());

        let again = queries.vector("pumps", Aspect::Offer).now_or_never();
        assert_eq!(again.unwrap().unwrap(), known);
        // The same text has another vector for the other aspect.
        let mut other = Box::pin(queries.vector("pumps", Aspect::Customers));
        assert!(poll!(&mut other).is_pending());
        let rejected = queries.vector("brewery", Aspect::Offer).now_or_never();
        assert!(matches!(rejected, Some(Err(StoreError::Busy))));

        drop(release);
        assert!(busy.await.unwrap());
        assert_ne!(other.await.unwrap(), known);
    }

    #[test]
    fn recent_texts_are_kept_and_older_ones_are_forgotten_unless_used() {
        let mut recent = Recent::default();
        let texts: Vec<String> = (0..5 * KEPT).map(|number| number.to_string()).collect();
        for (number, text) in texts.iter().enumerate() {
            recent.keep(text, &embed(text));
            assert_eq!(recent.get("0"), Some(embed("0")), "at {number}");
            assert_eq!(recent.get(text), Some(embed(text)));
            assert!(recent.younger.len() <= KEPT && recent.older.len() <= KEPT);
        }
        assert_eq!(recent.get("1"), None);
        let last = &texts[texts.len() - KEPT / 2..];
        assert!(last.iter().all(|text| recent.get(text).is_some()));
    }
}
