//! How soon the largest conversation shows something: its first message, and the whole first slice. Cold means that this
//! server has not read the conversation before; so it is started anew each time.

use std::path::Path;
use std::time::Duration;

use super::client::Answer;
use super::pages;
use super::running::Running;
use crate::arguments::Trouble;

/// The best and the worst of several looks.
#[derive(Debug, Clone, Default)]
pub(super) struct Looks {
    /// Until the first message of the slice was there.
    pub(super) message: Vec<Duration>,
    /// Until the page was whole.
    pub(super) whole: Vec<Duration>,
    /// The least that an answer costs, on the same connection right afterwards.
    pub(super) floor: Vec<Duration>,
}

/// Looks at the conversation `id` at the message with this number, from zero, `runs` times: cold, and then again.
pub(super) fn looks(
    program: &Path,
    home: &Path,
    index: &Path,
    (id, at): (&str, u64),
    runs: usize,
) -> Result<(Looks, Looks), Trouble> {
    let path = format!("{}?at={at}", pages::conversation(id));
    let awaited = "<article class=\"message";
    let (mut cold, mut warm) = (Looks::default(), Looks::default());
    for _ in 0..runs.max(1) {
        let server = Running::start(program, home, index)?;
        let mut client = server.client()?;
        // The index must have caught up, as it has in a server that somebody has looked at before.
        client.ask("/search?q=anything", None)?;
        for looks in [&mut cold, &mut warm] {
            let Answer { status, awaited, whole, .. } = client.ask(&path, Some(awaited))?;
            looks.message.push(awaited.ok_or_else(|| format!("{path} shows no message ({status})"))?);
            looks.whole.push(whole);
            looks.floor.push(client.ask(pages::NOWHERE, None)?.whole);
        }
    }
    Ok((cold, warm))
}
