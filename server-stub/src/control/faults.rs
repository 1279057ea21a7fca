//! The faults that are injected at present.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fault::{Effect, Fault};
use super::operation::Operation;

/// Identifies a fault that was added; counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
pub struct FaultId(u64);

impl fmt::Display for FaultId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A fault that was added, and how often it was applied.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveFault {
    /// Identifies the fault.
    pub id: FaultId,
    /// The fault.
    pub fault: Fault,
    /// Number of requests that it could have applied to.
    pub matched: u64,
    /// Number of requests that it was applied to.
    pub applied: u64,
}

/// A fault to apply to a request.
#[derive(Debug)]
pub(super) struct Injected {
    pub(super) id: FaultId,
    pub(super) delay: Duration,
    pub(super) effect: Effect,
    /// The routes that answer a stale read.
    pub(super) stale: Option<Router>,
}

/// All faults, in the order in which they were added.
#[derive(Debug)]
pub(super) struct Faults(Mutex<State>);

#[derive(Debug)]
struct State {
    seed: u64,
    added: u64,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    active: ActiveFault,
    rng: fastrand::Rng,
    stale: Option<Router>,
}

impl Faults {
    pub(super) fn new(seed: u64) -> Self {
        Self(Mutex::new(State {
            seed,
            added: 0,
            entries: Vec::new(),
        }))
    }

    pub(super) fn seed(&self) -> u64 {
        self.lock().seed
    }

    /// Sets the seed of faults that are added from now on.
    pub(super) fn set_seed(&self, seed: u64) {
        self.lock().seed = seed;
    }

    /// Adds a fault, with the routes that answer stale reads if it needs them.
    pub(super) fn add(&self, fault: Fault, stale: Option<Router>) -> FaultId {
        let mut state = self.lock();
        state.added += 1;
        let id = FaultId(state.added);
        // Each fault has random numbers of its own, so that adding another does not change its choices.
        let seed = state.seed.wrapping_add(id.0.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        state.entries.push(Entry {
            active: ActiveFault {
                id,
                fault,
                matched: 0,
                applied: 0,
            },
            rng: fastrand::Rng::with_seed(seed),
            stale,
        });
        id
    }

    pub(super) fn list(&self) -> Vec<ActiveFault> {
        let state = self.lock();
        state.entries.iter().map(|it| it.active.clone()).collect()
    }

    /// Removes a fault; false if there is none with this id.
    pub(super) fn remove(&self, id: FaultId) -> bool {
        let mut state = self.lock();
        let before = state.entries.len();
        state.entries.retain(|it| it.active.id != id);
        state.entries.len() < before
    }

    pub(super) fn clear(&self) {
        self.lock().entries.clear();
    }

    /// Removes all faults, and counts ids from 1 again.
    pub(super) fn reset(&self) {
        let mut state = self.lock();
        state.entries.clear();
        state.added = 0;
    }

    /// The first fault that applies to a request for this operation.
    pub(super) fn take(&self, operation: Operation) -> Option<Injected> {
        let mut state = self.lock();
        state.entries.iter_mut().find_map(|it| it.take(operation))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while holding the lock; even then, the list would still be complete.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn take(&mut self, operation: Operation) -> Option<Injected> {
        let ActiveFault {
            id,
            fault,
            matched,
            applied,
        } = &mut self.active;
        if !fault.matches(operation) {
            return None;
        }
        *matched += 1;
        if *matched <= fault.after || fault.times.is_some_and(|times| *applied >= times) {
            return None;
        }
        if fault.probability < 1.0 && self.rng.f64() >= fault.probability {
            return None;
        }
        *applied += 1;
        let delay = fault.delay.map(|delay| delay.draw(&mut self.rng));
        Some(Injected {
            id: *id,
            delay: delay.unwrap_or_default(),
            effect: fault.effect,
            stale: self.stale.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::delay::Delay;
    use crate::wire::ProblemCode;

    fn busy() -> Fault {
        Fault::problem(ProblemCode::Unavailable)
    }

    /// The numbers of the requests that faults apply to, of ten requests for an operation.
    fn applied(faults: &Faults, operation: Operation) -> Vec<u32> {
        let applies = |_: &u32| faults.take(operation).is_some();
        (1..=10).filter(applies).collect()
    }

    #[test]
    fn fault_applies_to_its_number_of_requests_after_those_it_skips() {
        let faults = Faults::new(1);
        faults.add(busy().after(2).times(3), None);
        assert_eq!(applied(&faults, Operation::ListItems), [3, 4, 5]);
        assert!(applied(&faults, Operation::ListItems).is_empty());
        let active = &faults.list()[0];
        assert_eq!((active.matched, active.applied), (20, 3));
    }

    #[test]
    fn fault_applies_to_the_operations_that_it_names() {
        let faults = Faults::new(1);
        let named = busy().on(Operation::ListItems).on(Operation::GetItemStatus);
        faults.add(named.times(1), None);
        assert!(applied(&faults, Operation::AddOrganization).is_empty());
        assert_eq!(applied(&faults, Operation::GetItemStatus), [1]);
        faults.add(Fault::stale(), None);
        assert!(applied(&faults, Operation::AddOrganization).is_empty());
    }

    #[test]
    fn first_fault_that_applies_wins_unless_removed() {
        let faults = Faults::new(1);
        let first = faults.add(busy().times(1), None);
        let second = faults.add(busy(), None);
        let take = || faults.take(Operation::ListItems).map(|it| it.id);
        assert_eq!([take(), take()], [Some(first), Some(second)]);
        assert!(faults.remove(second) && !faults.remove(second));
        assert_eq!(take(), None);
        faults.reset();
        assert_eq!(faults.add(busy(), None), first);
    }

    #[test]
    fn random_choices_depend_only_on_the_seed() {
        let run = |seed| {
            let faults = Faults::new(seed);
            let delay = Delay::uniform(Duration::ZERO, Duration::from_secs(1));
            faults.add(Fault::delay(delay).probability(0.5), None);
            let drawn = (0..100).map(|_| faults.take(Operation::ListItems).map(|it| it.delay));
            drawn.collect::<Vec<_>>()
        };
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4));
        let share = run(3).iter().flatten().count();
        assert!((30..70).contains(&share), "{share}");
    }
}
