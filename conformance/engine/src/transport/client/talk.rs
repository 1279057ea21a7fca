//! Conversations of a run: within the limits on rate and number, and retried after trouble, like all other requests.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::waits::{LONGEST_WAIT, wait_for};
use super::{ABANDONED, ATTEMPTS, Client, INTERRUPTED, PAUSE};
use crate::transport::attempt::{Spoken, record_talk};
use crate::transport::budget::RequestBudget;
use crate::transport::failed::{Failed, Kind};
use crate::transport::raw::{Conversation, Talk};
use crate::verdict::Stop;

/// The limit on attempts of a conversation without any response. The silence may be the deployment's behaviour.
const ATTEMPTS_WITHOUT_ANSWER: u32 = 2;

impl Client {
    /// Holds a conversation, taken from a budget as a request for each message; non-read messages are also taken from
    /// `additions`. A conversation that only reads is retried after trouble.
    ///
    /// # Errors
    /// As [`send`](Self::send). Inconclusive where requests must go through a proxy.
    pub(crate) async fn talk(
        &self,
        conversation: &Conversation,
        budget: &RequestBudget,
        additions: &RequestBudget,
        case: Option<&str>,
    ) -> Result<Talk, Stop> {
        if let Some(obstacle) = self.wire.obstacle() {
            return Err(Stop::Inconclusive(obstacle.to_owned()));
        }
        for _ in &conversation.messages {
            if !budget.take() {
                return Err(Stop::Errored(format!(
                    "its limit of {} requests is reached, and it needs more",
                    budget.limit()
                )));
            }
        }
        let mut attempts = 0;
        loop {
            attempts += 1;
            let talked = self.attempt_talk(conversation, additions, case).await?;
            let is_repeatable = conversation.only_reads();
            let (text, pause, talk) = match talked {
                Err(failed) => {
                    let again = failed.kind == Kind::NotSent && self.answered.load(Ordering::Relaxed);
                    (failed.text, again.then_some(PAUSE), None)
                }
                Ok(talk) => {
                    let turned_away = talk.responses.iter().find_map(|response| {
                        let wait = wait_for(&response.request, response, attempts)?;
                        Some((response.clone(), wait))
                    });
                    match (turned_away, talk.trouble()) {
                        (Some((response, wait)), _) => {
                            let request = Arc::clone(&response.request);
                            let text = self.note_429(&request, wait, response);
                            let again = wait <= LONGEST_WAIT && is_repeatable;
                            (text, again.then_some(wait), Some(talk))
                        }
                        (None, Some(text)) => (text, is_repeatable.then_some(PAUSE), Some(talk)),
                        (None, None) => return Ok(talk),
                    }
                }
            };
            let most = match talk.as_ref().is_some_and(|talk| talk.responses.is_empty()) {
                true => ATTEMPTS_WITHOUT_ANSWER,
                false => ATTEMPTS,
            };
            let pause = pause.filter(|_| attempts < most);
            let pays = || conversation.messages.iter().all(|_| self.retries.take());
            match (pause.filter(|_| pays()), talk) {
                (Some(pause), _) => self.sleep(pause).await?,
                // Repeated behaviour of a deployment is for the case to judge.
                (None, Some(talk)) => return Ok(talk),
                (None, None) => return Err(Stop::Errored(text)),
            }
        }
    }

    /// Holds a conversation once, if it is allowed.
    async fn attempt_talk(
        &self,
        conversation: &Conversation,
        additions: &RequestBudget,
        case: Option<&str>,
    ) -> Result<Result<Talk, Failed>, Stop> {
        let turn = async {
            for _ in &conversation.messages {
                self.quota.turn(&*self.clock).await;
                self.pacer.turn(&*self.clock).await;
            }
            // It is never closed.
            self.in_flight.acquire().await.ok()
        };
        let _permit = self.wait(turn).await?;
        for message in &conversation.messages {
            let write = (message.method.as_str(), message.only_reads());
            self.pay(&message.path, write, additions)?;
        }
        let (until, stop) = match conversation.only_reads() {
            true => (&self.interrupt, Stop::Skipped(INTERRUPTED.to_owned())),
            false => (&self.abandon, Stop::Errored(ABANDONED.to_owned())),
        };
        let spoken = Spoken::begin(conversation, case);
        let talked = until.run_until_cancelled(self.wire.talk(conversation)).await;
        if let Some(recorder) = self.recorder.as_deref() {
            record_talk(recorder, &self.wire, &spoken, talked.as_ref());
        }
        let talked = talked.ok_or(stop)?;
        self.take_note_of_talk(conversation, &talked, additions, case);
        Ok(talked)
    }

    fn take_note_of_talk(
        &self,
        conversation: &Conversation,
        talked: &Result<Talk, Failed>,
        additions: &RequestBudget,
        case: Option<&str>,
    ) {
        match talked {
            Err(failed) => {
                self.note(&failed.text);
                let writes = conversation.messages.iter();
                for _ in writes.filter(|message| !message.only_reads()) {
                    additions.give_back();
                }
            }
            Ok(talk) => {
                for response in &talk.responses {
                    self.hanging.answers(&response.request.path);
                    self.note_duration(&response.request, response, case);
                }
                if !talk.responses.is_empty() {
                    self.answered.store(true, Ordering::Relaxed);
                    self.silent.store(0, Ordering::Relaxed);
                }
            }
        }
    }
}
