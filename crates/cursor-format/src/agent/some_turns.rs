//! The messages of a few turns, for a reader who has the others from elsewhere.

use backscroll_model::{Decoded, Message};

use super::conversation::make_ids_unique;
use super::earlier;
use super::graph::{Graph, Place};
use super::root::root;
use super::told;

/// The messages of those turns of `root_bytes` that are wanted by number. Of the others only the user's words are
/// told, so that it shows where the wanted ones stand.
pub fn some_turns(
    root_bytes: &[u8],
    place: &Place<'_>,
    is_wanted: &dyn Fn(usize) -> bool,
) -> Decoded<Vec<Message>> {
    let mut graph = Graph::new(place.clone());
    let root = root(root_bytes, &place.root).report_to(&mut graph.findings);
    let mut turns = told::turns_where(&root, &mut graph, is_wanted);
    let drafts =
        turns.iter_mut().enumerate().flat_map(|(number, turn)| earlier::told(number, turn, &mut graph));
    let mut messages: Vec<Message> = drafts.map(|draft| draft.message).collect();
    make_ids_unique(&mut messages);
    Decoded { value: messages, findings: graph.findings }
}
