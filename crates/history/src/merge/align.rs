//! Which piece of one layer is which piece of another.
//!
//! One layer has a message for each thought, text and call; another puts a whole turn into one. So layers are compared
//! piece by piece. A piece is known by who said it, what kind it is, and its words without white space; a call by its id
//! where both layers have it, else by what it is (see [`ToolCall::is_same_as`](backscroll_model::ToolCall::is_same_as)). Where one layer has in one text what another has
//! in several, the text is cut at the same places first.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use backscroll_model::{Message, MessageId, Part, Role, ToolCall, bare};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::compared;
use super::cuts::{SHORTEST_END, cut_alike, tell_thoughts_apart};

/// One piece of one message: a part, or a stretch of one.
#[derive(Debug, Clone)]
pub(super) struct MergePiece {
    pub(super) message: usize,
    /// `None` for a message that is listed and has no parts.
    pub(super) part: Option<usize>,
    pub(super) by: PieceSpeaker,
    /// The stretch of the part's text, in bytes; empty where the part is no text or a thought.
    pub(super) span: Range<usize>,
    /// What makes two pieces the same.
    pub(super) mark: PieceMark,
}

/// What makes two pieces the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PieceMark {
    Said {
        by: PieceSpeaker,
        words: String,
    },
    /// The words of a message whose id both layers have.
    SaidAs {
        id: String,
    },
    Thought {
        words: String,
    },
    /// A call whose id both layers have.
    CalledAs {
        id: String,
    },
    Called {
        tool: String,
        about: String,
    },
    /// A message that is listed without any parts.
    Lost {
        by: PieceSpeaker,
    },
    /// What stands beside the words: it is compared elsewhere.
    Beside {
        number: usize,
    },
}

/// Who said it, as far as layers agree on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PieceSpeaker {
    User,
    Agent,
    Editor,
}

impl PieceSpeaker {
    pub(super) fn from_role(role: Role) -> Self {
        match role {
            Role::User => Self::User,
            Role::Assistant | Role::Tool => Self::Agent,
            Role::System => Self::Editor,
        }
    }
}

impl MergePiece {
    /// Stretch that may be cut: what the agent said or thought.
    pub(super) fn words(&self) -> Option<&str> {
        match &self.mark {
            PieceMark::Said { by: PieceSpeaker::Agent, words } | PieceMark::Thought { words } => Some(words),
            _ => None,
        }
    }

    pub(super) fn is_thought(&self) -> bool {
        matches!(self.mark, PieceMark::Thought { .. })
    }

    pub(super) fn is_beside(&self) -> bool {
        matches!(self.mark, PieceMark::Beside { .. })
    }
}

/// The pieces of two layers, and which are the same.
pub(super) struct Alignment {
    pub(super) spine: Vec<MergePiece>,
    pub(super) other: Vec<MergePiece>,
    /// Pairs of pieces that are the same, in the order of both: index in the spine, index in the other.
    pub(super) same: Vec<(usize, usize)>,
    /// Pairs of pieces that are the same, where the order of the layers differs.
    pub(super) moved: Vec<(usize, usize)>,
    /// Of these, pairs whose words differ somewhat.
    pub(super) contradicting: Vec<(usize, usize)>,
}

/// Aligns the messages of `other` with those of `spine`.
pub(super) fn align(spine: &[Message], other: &[Message]) -> Alignment {
    let shared = SharedPieces::between(spine, other);
    let (mut left, mut right) = (pieces(spine, &shared, 0), pieces(other, &shared, 1));
    let mut same = equal(&left, &right);
    pair_lost_prompts(&left, &right, &mut same);
    tell_thoughts_apart((&mut left, spine), (&mut right, other), &same);
    let mut anchors = equal(&left, &right);
    pair_lost_prompts(&left, &right, &mut anchors);
    // Words that short are often the end of others that one side splits.
    anchors.retain(|&(mine, _)| left[mine].words().is_none_or(|words| words.len() >= SHORTEST_END));
    cut_alike((&mut left, spine), (&mut right, other), &anchors);
    let mut same = equal(&left, &right);
    same.retain(|&(mine, theirs)| {
        match (&left[mine].mark, call(spine, &left[mine]), call(other, &right[theirs])) {
            (PieceMark::Called { .. }, Some(mine), Some(theirs)) => !mine.contradicts(theirs),
            _ => true,
        }
    });
    let mut alignment =
        Alignment { spine: left, other: right, same, moved: Vec::new(), contradicting: Vec::new() };
    alignment.pair_nearly_equal(spine, other);
    alignment.pair_moved(spine, other);
    alignment
}

/// Takes the messages of one side apart. Calls and messages whose id the other side has too are known by it.
fn pieces(messages: &[Message], shared: &SharedPieces, side: usize) -> Vec<MergePiece> {
    let mut pieces = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let by = PieceSpeaker::from_role(message.role);
        if message.parts.is_empty() {
            pieces.push(MergePiece { message: at, part: None, by, span: 0..0, mark: PieceMark::Lost { by } });
        }
        let mut is_named = shared.messages.contains(&message.id);
        for (part_at, part) in message.parts.iter().enumerate() {
            let number = 2 * pieces.len() + side;
            let (span, mark) = match part {
                Part::Text(text) if is_named => {
                    is_named = false;
                    (0..text.len(), PieceMark::SaidAs { id: message.id.as_str().to_owned() })
                }
                Part::Text(text) if by == PieceSpeaker::Agent => {
                    (0..text.len(), PieceMark::Said { by, words: compared::words(text) })
                }
                Part::Text(text) => (0..text.len(), PieceMark::Said { by, words: bare(text) }),
                Part::Thinking { text, .. } => {
                    (0..text.len(), PieceMark::Thought { words: compared::words(text) })
                }
                Part::ToolCall(call) => match &call.id {
                    Some(id) if shared.calls.contains(id) => (0..0, PieceMark::CalledAs { id: id.clone() }),
                    _ => {
                        let about = call.about().unwrap_or_default();
                        (0..0, PieceMark::Called { tool: call.kind().to_owned(), about })
                    }
                },
                _ => (0..0, PieceMark::Beside { number }),
            };
            pieces.push(MergePiece { message: at, part: Some(part_at), by, span, mark });
        }
    }
    pieces
}

/// Shorter ids are places in a file, and say nothing outside of it.
const SHORTEST_ID: usize = 20;

/// Whether an id may be that of the same message in another layer.
pub(super) fn is_known_elsewhere(id: &MessageId) -> bool {
    id.as_str().len() >= SHORTEST_ID
}

/// What both sides know by the same id.
struct SharedPieces {
    calls: HashSet<String>,
    messages: HashSet<MessageId>,
}

impl SharedPieces {
    fn between(left: &[Message], right: &[Message]) -> Self {
        let calls = |messages: &[Message]| -> HashSet<String> {
            messages.iter().flat_map(Message::tool_calls).filter_map(|call| call.id.clone()).collect()
        };
        let ids = |messages: &[Message]| -> HashSet<MessageId> {
            let ids = messages.iter().map(|message| message.id.clone());
            ids.filter(is_known_elsewhere).collect()
        };
        Self { calls: &calls(left) & &calls(right), messages: &ids(left) & &ids(right) }
    }
}

/// The longest common order of both sides.
fn equal(left: &[MergePiece], right: &[MergePiece]) -> Vec<(usize, usize)> {
    let mut numbers: HashMap<&PieceMark, usize> = HashMap::new();
    let mut number = |mark| {
        let next = numbers.len();
        *numbers.entry(mark).or_insert(next)
    };
    let left: Vec<usize> = left.iter().map(|piece| number(&piece.mark)).collect();
    let right: Vec<usize> = right.iter().map(|piece| number(&piece.mark)).collect();
    let mut same = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &left, &right) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            same.extend((0..len).map(|step| (old_index + step, new_index + step)));
        }
    }
    same
}

/// Where one layer knows of all prompts and has the words of none, as the SDK's events do, and the other has as many, each is
/// the one at its place. Adds the pairs that contradict none of `same`.
fn pair_lost_prompts(left: &[MergePiece], right: &[MergePiece], same: &mut Vec<(usize, usize)>) {
    let prompts = |pieces: &[MergePiece]| -> Vec<usize> {
        let is_prompt = |piece: &MergePiece| piece.by == PieceSpeaker::User && !piece.is_beside();
        let mut last = None;
        let firsts = pieces
            .iter()
            .enumerate()
            .filter(|(_, piece)| is_prompt(piece) && last.replace(piece.message) != Some(piece.message));
        firsts.map(|(at, _)| at).collect()
    };
    let (mine, theirs) = (prompts(left), prompts(right));
    let is_lost = |pieces: &[MergePiece], at: &usize| matches!(pieces[*at].mark, PieceMark::Lost { .. });
    let has_no_words = mine.iter().all(|at| is_lost(left, at)) || theirs.iter().all(|at| is_lost(right, at));
    if mine.len() != theirs.len() || !has_no_words {
        return;
    }
    for (mine, theirs) in mine.into_iter().zip(theirs) {
        let place = same.partition_point(|pair| pair.0 < mine);
        let fits = same.get(place).is_none_or(|next| next.0 > mine && next.1 > theirs)
            && place.checked_sub(1).is_none_or(|before| same[before].1 < theirs);
        if fits {
            same.insert(place, (mine, theirs));
        }
    }
}

/// What lies between pairs, on both sides.
pub(super) fn gaps(same: &[(usize, usize)], left: usize, right: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut from = (0, 0);
    let mut gaps = Vec::with_capacity(same.len() + 1);
    for &(mine, theirs) in same.iter().chain([&(left, right)]) {
        gaps.push((from.0..mine, from.1..theirs));
        from = (mine + 1, theirs + 1);
    }
    gaps
}

impl Alignment {
    /// Between the same neighbours, pieces that nearly agree are the same piece in other words.
    fn pair_nearly_equal(&mut self, spine: &[Message], other: &[Message]) {
        let mut found = Vec::new();
        for (mine, theirs) in gaps(&self.same, self.spine.len(), self.other.len()) {
            let mut from = mine.start;
            let mut agreed: HashMap<String, bool> = HashMap::new();
            for at in theirs.clone() {
                let mut is_same = |here: &usize| {
                    let (left, right) = (&self.spine[*here], &self.other[at]);
                    let (of_left, of_right) = (call(spine, left), call(other, right));
                    if let (Some(left), Some(right)) = (of_left, of_right) {
                        let agree = || {
                            let of = |pieces, messages, gap| calls_of(pieces, messages, gap, left.kind());
                            let (mine, theirs) =
                                (of(&self.spine, spine, &mine), of(&self.other, other, &theirs));
                            mine.len() == theirs.len()
                                && mine.iter().zip(theirs).all(|(mine, theirs)| mine.may_be(theirs))
                        };
                        return left.is_same_as(right)
                            || (left.may_be(right)
                                && *agreed.entry(left.kind().to_owned()).or_insert_with(agree));
                    }
                    nearly(&left.mark, &right.mark)
                        || self.is_lost(left, &spine[left.message], right, &other[right.message], &mine)
                };
                if let Some(partner) = (from..mine.end).find(&mut is_same) {
                    found.push((partner, at));
                    from = partner + 1;
                }
            }
        }
        let differ =
            |&&(mine, theirs): &&(usize, usize)| nearly(&self.spine[mine].mark, &self.other[theirs].mark);
        self.contradicting = found.iter().filter(differ).copied().collect();
        self.same.extend(found);
        self.same.sort_unstable();
    }

    /// Whether a message that one side lists without parts is the message that the other side has here. What was asked is
    /// known by its place among the answers; of answers, only one where the spine has nothing else between the neighbours.
    fn is_lost(
        &self,
        left: &MergePiece,
        mine: &Message,
        right: &MergePiece,
        theirs: &Message,
        gap: &Range<usize>,
    ) -> bool {
        let is_typed = |piece: &MergePiece, message: &Message| {
            matches!(piece.mark, PieceMark::Said { .. } | PieceMark::SaidAs { .. }) && message.is_by_person()
        };
        match (&left.mark, &right.mark) {
            (PieceMark::Lost { by: PieceSpeaker::User }, _) => is_typed(right, theirs),
            (_, PieceMark::Lost { by: PieceSpeaker::User }) => is_typed(left, mine),
            (PieceMark::Lost { by }, _) => {
                let is_lost = |at: usize| {
                    matches!(self.spine[at].mark, PieceMark::Lost { .. } | PieceMark::Beside { .. })
                };
                *by == PieceSpeaker::from_role(theirs.role)
                    && !right.is_beside()
                    && right.part.is_some()
                    && gap.clone().all(is_lost)
            }
            _ => false,
        }
    }

    /// A piece that the spine has elsewhere (its order differs) is not new. The same call is often made again: it is the same
    /// only in the same turn.
    fn pair_moved(&mut self, spine: &[Message], other: &[Message]) {
        let mut free: HashMap<(&PieceMark, Option<usize>), Vec<usize>> = HashMap::new();
        let turn =
            |piece: &MergePiece, turn: usize| matches!(piece.mark, PieceMark::Called { .. }).then_some(turn);
        let mine: HashSet<usize> = self.same.iter().map(|(mine, _)| *mine).collect();
        let theirs: HashSet<usize> = self.same.iter().map(|(_, theirs)| *theirs).collect();
        for (at, number) in turns(&self.spine, &mine).into_iter().enumerate().rev() {
            let piece = &self.spine[at];
            if !mine.contains(&at) && !matches!(piece.mark, PieceMark::Lost { .. }) {
                free.entry((&piece.mark, turn(piece, number))).or_default().push(at);
            }
        }
        for (at, number) in turns(&self.other, &theirs).into_iter().enumerate() {
            let piece = &self.other[at];
            let is_free = !theirs.contains(&at);
            let Some(list) = free.get_mut(&(&piece.mark, turn(piece, number))).filter(|_| is_free) else {
                continue;
            };
            let may_be = |elsewhere: &usize| match (call(spine, &self.spine[*elsewhere]), call(other, piece))
            {
                (Some(left), Some(right)) => left.may_be(right),
                _ => true,
            };
            if let Some(found) = list.iter().rposition(may_be) {
                self.moved.push((list.remove(found), at));
            }
        }
    }
}

/// The turn of each piece, counted by prompts that both sides have.
fn turns(pieces: &[MergePiece], paired: &HashSet<usize>) -> Vec<usize> {
    let mut turn = 0;
    let mut number = |(at, piece): (usize, &MergePiece)| {
        turn += usize::from(piece.by == PieceSpeaker::User && !piece.is_beside() && paired.contains(&at));
        turn
    };
    pieces.iter().enumerate().map(&mut number).collect()
}

/// The call that a piece is.
fn call<'a>(messages: &'a [Message], piece: &MergePiece) -> Option<&'a ToolCall> {
    match &messages[piece.message].parts[piece.part?] {
        Part::ToolCall(call) => Some(call),
        _ => None,
    }
}

/// The calls of a kind among the pieces in `gap`.
fn calls_of<'a>(
    pieces: &[MergePiece],
    messages: &'a [Message],
    gap: &Range<usize>,
    kind: &str,
) -> Vec<&'a ToolCall> {
    let all = pieces[gap.clone()].iter().filter_map(|piece| call(messages, piece));
    all.filter(|call| call.kind() == kind).collect()
}

/// Whether two pieces nearly agree: words of which one begins like the other, or, of the user's, holds it.
fn nearly(left: &PieceMark, right: &PieceMark) -> bool {
    match (left, right) {
        (PieceMark::Said { by: a, words: x }, PieceMark::Said { by: b, words: y }) => {
            let holds = |long: &str, short: &str| !short.is_empty() && long.contains(short);
            a == b && (alike(x, y) || (*a != PieceSpeaker::Agent && (holds(x, y) || holds(y, x))))
        }
        (PieceMark::Thought { words: x }, PieceMark::Thought { words: y }) => alike(x, y),
        _ => false,
    }
}

/// Whether four fifths of the longer one are the beginning of both.
fn alike(a: &str, b: &str) -> bool {
    let common = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    common > 0 && common * 5 >= a.chars().count().max(b.chars().count()) * 4
}
