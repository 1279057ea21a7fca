//! Polls of one wait.

use std::time::{Duration, Instant};

use crate::call::retry_decision::may_be_repeated;
use crate::error::{Kind, NotReady};
use crate::generated::operations::GET_ITEM_STATUS;
use crate::types::ItemStatus;
use crate::{Client, Error, PipelineId, PipelineItemId, ResponseValue};

/// When a wait polls and when it ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub(super) timeout: Duration,
    pub(super) first_pause: Duration,
    pub(super) longest_pause: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(5 * 60),
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(10),
        }
    }
}

impl Pace {
    /// Sets the pauses, with a minimum so that they do not overload the service.
    pub(super) fn with_pauses(self, first: Duration, longest: Duration) -> Self {
        let first_pause = first.max(Duration::from_millis(10));
        Self {
            first_pause,
            longest_pause: longest.max(first_pause),
            ..self
        }
    }

    /// Returns the pause after `polls` polls: 50% to 100% of a limit that grows by half with each poll.
    /// `random` is from 0 to 1.
    pub(super) fn pause(&self, polls: u32, random: f64) -> Duration {
        let growth = 1.5_f64.powi(i32::try_from(polls).unwrap_or(i32::MAX).saturating_sub(1));
        let grown = self.first_pause.as_secs_f64() * growth;
        let limit = self.longest_pause.as_secs_f64().min(grown);
        Duration::try_from_secs_f64(limit * (0.5 + 0.5 * random)).unwrap_or(self.longest_pause)
    }
}

/// How long before the end of a wait its last poll starts, to leave time for the response. Short waits use
/// less.
const TIME_FOR_THE_LAST_POLL: Duration = Duration::from_millis(500);

/// Polls the status of an item until it is ready or the timeout expires.
pub(super) struct Poller {
    /// Its deadline is the end of the wait.
    client: Client,
    pipeline_id: PipelineId,
    pipeline_item_id: PipelineItemId,
    pace: Pace,
    started: Instant,
    /// When the last poll starts; `None` if the deadline is beyond the range of an `Instant`.
    last_poll: Option<Instant>,
    polls: u32,
    last_status: Option<ItemStatus>,
    /// Failure of the last poll, with its `Retry-After` if any.
    failure: Option<Error>,
}

impl Poller {
    /// Starts a wait now.
    pub(super) fn begin(
        client: &Client,
        pipeline_id: PipelineId,
        pipeline_item_id: PipelineItemId,
        pace: Pace,
    ) -> Self {
        let started = client.core.now();
        let client = client.ending_by(started.checked_add(pace.timeout));
        let last_poll = client.core.options.deadline.map(|end| {
            let whole = end.saturating_duration_since(started);
            started + (whole - TIME_FOR_THE_LAST_POLL.min(whole / 10))
        });
        Self {
            client,
            pipeline_id,
            pipeline_item_id,
            pace,
            started,
            last_poll,
            polls: 0,
            last_status: None,
            failure: None,
        }
    }

    /// Polls until the item is ready.
    pub(super) async fn last(mut self) -> Result<ResponseValue<ItemStatus>, Error> {
        loop {
            let status = self.next().await?;
            if status.is_ready {
                return Ok(status);
            }
        }
    }

    /// Returns the status from the next successful poll. There is none after a ready status or an error.
    pub(super) async fn next(&mut self) -> Result<ResponseValue<ItemStatus>, Error> {
        loop {
            if self.polls > 0 {
                self.pause().await;
            }
            let is_last = self.last_poll.is_some_and(|last| last <= self.now());
            match self.poll().await {
                Ok(status) => {
                    self.failure = None;
                    self.last_status = Some((*status).clone());
                    if status.is_ready || !is_last {
                        return Ok(status);
                    }
                }
                Err(failure) if may_be_repeated(&GET_ITEM_STATUS, &failure) => {
                    self.failure = Some(failure);
                }
                Err(failure) if failure.is_too_late() => {
                    if failure.is_rate_limited() {
                        self.failure = Some(failure);
                    }
                    return Err(self.not_ready());
                }
                Err(failure) => return Err(failure),
            }
            if is_last {
                return Err(self.not_ready());
            }
        }
    }

    async fn poll(&mut self) -> Result<ResponseValue<ItemStatus>, Error> {
        let request = self
            .client
            .get_item_status()
            .pipeline_id(self.pipeline_id)
            .pipeline_item_id(self.pipeline_item_id);
        let answer = request.send().await;
        if !matches!(&answer, Err(failure) if failure.is_too_late()) {
            self.polls = self.polls.saturating_add(1);
        }
        answer
    }

    /// Sleeps until the next poll, but not beyond the start of the last one.
    async fn pause(&self) {
        let asked = self.failure.as_ref().and_then(Error::retry_after);
        let pause = self.pace.pause(self.polls, fastrand::f64());
        let pause = pause.max(asked.unwrap_or_default());
        let now = self.now();
        let left = self.last_poll.map(|last| last.saturating_duration_since(now));
        let pause = left.map_or(pause, |left| pause.min(left));
        self.client.core.sleep(pause).await;
    }

    fn not_ready(&mut self) -> Error {
        let error = Error::new(Kind::NotReady(NotReady {
            pipeline_id: self.pipeline_id,
            pipeline_item_id: self.pipeline_item_id,
            last_status: self.last_status.take(),
            waited: self.now().saturating_duration_since(self.started),
            polls: self.polls,
        }));
        let error = error.of(GET_ITEM_STATUS.id);
        match self.failure.take() {
            Some(failure) => error.with_source(failure),
            None => error,
        }
    }

    fn now(&self) -> Instant {
        self.client.core.now()
    }
}
