//! Requests that a check sends byte for byte, on one connection.

use std::sync::atomic::Ordering;

use bytesize::ByteSize;

use crate::session::probe::Probe;
use crate::transport::raw::{Conversation, End, Talk};
use crate::transport::request::Body;
use crate::verdict::Stop;

impl Probe {
    /// Sends requests on one connection, byte for byte. The responses are not also checked against the contract: a
    /// proxy may have sent them.
    ///
    /// # Errors
    /// When the deployment is not reached. Inconclusive where requests must go through a proxy, and where a response is
    /// too long to be read.
    pub async fn talk(&self, conversation: &Conversation) -> Result<Talk, Stop> {
        for message in &conversation.messages {
            self.remember_named(Some(&Body::Text(message.body.clone())));
        }
        let client = &self.shared.client;
        let case = self.case.as_deref();
        let talked = client.talk(conversation, self.budget(), &self.writes, case);
        let talked = talked.await;
        let is_rejected = matches!(&talked, Ok(talk) if talk.responses.len() == conversation.messages.len()
            && talk.responses.iter().all(|response| (400..500).contains(&response.status)));
        if !conversation.only_reads() && !is_rejected {
            self.changed.store(true, Ordering::Relaxed);
        }
        if let Ok(talk) = &talked
            && let End::TooLong(most) = talk.end
        {
            let most = ByteSize(most).display().si();
            return Err(Stop::not_seen(format!(
                "a response of at most {most} to a request sent byte for byte"
            )));
        }
        talked
    }
}
