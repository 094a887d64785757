//! One message of `backscroll.conversation/1`.

use backscroll_model::{FactOrigin, Message, Origin, Part};
use serde::Serialize;

use super::conversation::WireTokens;
use super::each::{Each, Wired};
use super::place::WireOrigin;
use super::scalar::Time;

/// The fields in the order of the contract, then ours.
#[derive(Serialize)]
pub(super) struct WireMessage<'a> {
    id: &'a str,
    role: &'static str,
    at: Option<Time>,
    at_is: &'static str,
    model: Option<&'a str>,
    parts: Each<'a, Part>,
    tokens: Option<WireTokens>,
    origin: WireOrigin<'a>,
    request_id: Option<&'a str>,
    also: Each<'a, Origin>,
    #[serde(skip_serializing_if = "Each::is_empty")]
    fact_origins: Each<'a, FactOrigin>,
    flags: &'static [&'static str],
}

impl Wired for Message {
    type Wire<'a> = WireMessage<'a>;

    fn wire(&self) -> WireMessage<'_> {
        WireMessage {
            id: self.id.as_str(),
            role: self.role.name(),
            at: self.at.at.map(Time),
            at_is: self.at.is.name(),
            model: self.model.as_deref(),
            parts: Each(&self.parts),
            tokens: self.tokens.map(WireTokens::of),
            origin: self.origin.wire(),
            request_id: self.request_id.as_deref(),
            also: Each(&self.also),
            fact_origins: Each(&self.fact_origins),
            flags: flags(self),
        }
    }
}

fn flags(message: &Message) -> &'static [&'static str] {
    match (message.deleted, message.simulated) {
        (false, false) => &[],
        (true, false) => &["deleted"],
        (false, true) => &["simulated"],
        (true, true) => &["deleted", "simulated"],
    }
}
