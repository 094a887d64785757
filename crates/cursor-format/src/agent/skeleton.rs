//! The outline of a graph's turns, read cheaply: turn and user message blobs only, no steps.

use backscroll_model::{Decoded, FindingKind};

use super::graph::{Graph, Place};
use super::root::root;
use super::turn::{Turn, turn, user_message};

/// One turn from the outside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnOutline {
    /// The request; equal to the user bubble's `requestId`.
    pub request_id: Option<String>,
    /// The user message's id; equal to the user bubble's id.
    pub user_message_id: Option<String>,
    /// How many steps the agent took.
    pub steps: usize,
    /// The model that the request was routed to.
    pub model: Option<String>,
    /// A shell command of the user's, not an agent's turn.
    pub is_shell: bool,
}

/// The turns that `root_bytes` lists, in order; a turn that cannot be read is told as an empty outline.
pub fn skeleton(root_bytes: &[u8], place: &Place<'_>) -> Decoded<Vec<TurnOutline>> {
    let mut graph = Graph::new(place.clone());
    let root = root(root_bytes, &place.root).report_to(&mut graph.findings);
    let mut outlines = Vec::with_capacity(root.turns.len());
    for reference in &root.turns {
        let Some(bytes) = graph.resolve(reference, "a turn") else {
            outlines.push(TurnOutline::default());
            continue;
        };
        outlines.push(match turn(&bytes, root.turn_shape) {
            Some(Turn::Agent(agent)) => TurnOutline {
                user_message_id: agent
                    .user
                    .and_then(|user| graph.resolve(&user, "a user's message"))
                    .and_then(|bytes| user_message(&bytes, &mut graph)?.id),
                request_id: agent.request_id,
                steps: agent.steps.len(),
                model: agent.model,
                is_shell: false,
            },
            Some(Turn::Shell(_)) => TurnOutline { is_shell: true, ..TurnOutline::default() },
            None => {
                let at = graph.origin_of(reference.id());
                graph.report(FindingKind::Undecodable, at, "a turn is no protobuf message");
                TurnOutline::default()
            }
        });
    }
    Decoded { value: outlines, findings: graph.findings }
}
