//! Cuts the words of two layers at the same places, so that they can be compared: texts that one layer has in one piece and the
//! other in several, and thoughts that one layer wrote into the words.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use backscroll_model::{Message, Part};

use super::align::{MergePiece, PieceMark, PieceSpeaker, gaps};
use super::compared;

/// Cuts the words of both sides at the places of the other side: in a turn that has the same words on both sides, at all of them,
/// else between pieces that are the `same`.
pub(super) fn cut_alike(
    (left, spine): (&mut Vec<MergePiece>, &[Message]),
    (right, other): (&mut Vec<MergePiece>, &[Message]),
    same: &[(usize, usize)],
) {
    let (mut left_cuts, mut right_cuts) = (Cuts::new(), Cuts::new());
    for (mine, theirs) in gaps(&prompts(left, same), left.len(), right.len()) {
        let from = same.partition_point(|pair| pair.0 < mine.start);
        let to = same.partition_point(|pair| pair.0 < mine.end);
        let inside: Vec<_> =
            same[from..to].iter().map(|pair| (pair.0 - mine.start, pair.1 - theirs.start)).collect();
        for thoughts in [false, true] {
            let all_left = Stretch::all(left, spine, mine.clone(), thoughts);
            let all_right = Stretch::all(right, other, theirs.clone(), thoughts);
            if agree(&all_left, &all_right) {
                cut_whole(&all_left, &all_right, &mut left_cuts, &mut right_cuts);
                continue;
            }
            for (my_gap, their_gap) in gaps(&inside, mine.len(), theirs.len()) {
                let mine = Stretch::between(&all_left, mine.start + my_gap.start..mine.start + my_gap.end);
                let theirs = Stretch::between(
                    &all_right,
                    theirs.start + their_gap.start..theirs.start + their_gap.end,
                );
                find_cuts(mine, theirs, &mut left_cuts, &mut right_cuts);
            }
        }
    }
    cut(left, spine, &left_cuts);
    cut(right, other, &right_cuts);
}

/// Pairs of prompts.
fn prompts(left: &[MergePiece], same: &[(usize, usize)]) -> Vec<(usize, usize)> {
    same.iter().filter(|(mine, _)| left[*mine].by == PieceSpeaker::User).copied().collect()
}

/// Whether both sides have the same words, or one of them the first lines of the other's.
fn agree(left: &[Stretch<'_>], right: &[Stretch<'_>]) -> bool {
    let all = |side: &[Stretch<'_>]| side.iter().map(|one| one.words).collect::<String>();
    let (mine, theirs) = (all(left), all(right));
    let (short, long, of_long) =
        if mine.len() < theirs.len() { (&mine, &theirs, right) } else { (&theirs, &mine, left) };
    !short.is_empty() && long.starts_with(short.as_str()) && ends_line(of_long, short.len())
}

/// Cuts both sides, which agree, at all places of the other.
fn cut_whole(left: &[Stretch<'_>], right: &[Stretch<'_>], left_cuts: &mut Cuts, right_cuts: &mut Cuts) {
    for (side, cuts, by) in [(left, left_cuts, right), (right, right_cuts, left)] {
        let mut places = by.iter().scan(0, |end, one| {
            *end += one.words.len();
            Some(*end)
        });
        let mut place = places.next();
        let mut start = 0;
        for one in side {
            let end = start + one.words.len();
            while let Some(at) = place.filter(|at| *at <= end) {
                cuts.entry(one.piece).or_default().push(at - start);
                place = places.next();
            }
            start = end;
        }
    }
}

/// Whether a text or a line ends after this many bytes of all words.
fn ends_line(all: &[Stretch<'_>], at: usize) -> bool {
    let mut left = at;
    for one in all {
        match one.words.len() {
            length if length < left => left -= length,
            length => return length == left || one.has_line_end(left),
        }
    }
    false
}

/// The piece from `from` to `to`, counted in bytes of its words.
fn cut_out(piece: &MergePiece, text: &str, from: usize, to: usize, is_thought: bool) -> MergePiece {
    let place = |wanted: usize| {
        let mut passed = 0;
        let all = &text[piece.span.clone()];
        let at = compared::compared(all).find(|(_, c)| {
            let is_here = passed >= wanted;
            passed += c.len_utf8();
            is_here
        });
        piece.span.start + at.map_or(all.len(), |(at, _)| at)
    };
    let start = if from == 0 { piece.span.start } else { place(from) };
    let span = start..place(to);
    let words = compared::words(&text[span.clone()]);
    let mark = if is_thought {
        PieceMark::Thought { words }
    } else {
        PieceMark::Said { by: PieceSpeaker::Agent, words }
    };
    MergePiece { span, mark, ..*piece }
}

fn text_of<'a>(messages: &'a [Message], piece: &MergePiece) -> &'a str {
    match piece.part.map(|part| &messages[piece.message].parts[part]) {
        Some(Part::Text(text) | Part::Thinking { text, .. }) => text,
        _ => "",
    }
}

/// Some transcripts hold one text where another layer has a thought and words: the thought alone, or both in one piece, in
/// either order. Where the other side has them apart, to the letter, so do we, in its order.
/// Pieces that are the `same` are not compared, nor are turns with the same texts.
pub(super) fn tell_thoughts_apart(
    (left, spine): (&mut Vec<MergePiece>, &[Message]),
    (right, other): (&mut Vec<MergePiece>, &[Message]),
    same: &[(usize, usize)],
) {
    let (mut of_left, mut of_right) = (Layouts::new(), Layouts::new());
    let (mine, theirs): (HashSet<usize>, HashSet<usize>) = same.iter().copied().unzip();
    let (left_asks, right_asks) = (left.iter().any(is_prompt), right.iter().any(is_prompt));
    for gap in gaps(&prompts(left, same), left.len(), right.len()) {
        // Where both have prompts, one that only one of them has begins a turn that the other lacks.
        let turn = (
            if right_asks { up_to_prompt(left, gap.0) } else { gap.0 },
            if left_asks { up_to_prompt(right, gap.1) } else { gap.1 },
        );
        let words = |pieces: &[MergePiece], turn: Range<usize>| {
            let texts = pieces[turn].iter().filter(|piece| !piece.is_thought());
            texts.filter_map(MergePiece::words).collect::<String>()
        };
        if words(left, turn.0.clone()) == words(right, turn.1.clone()) {
            continue;
        }
        let left_free: Vec<usize> = turn.0.filter(|at| !mine.contains(at)).collect();
        let right_free: Vec<usize> = turn.1.filter(|at| !theirs.contains(at)).collect();
        find_mixtures(left, &left_free, right, &right_free, &mut of_left);
        find_mixtures(right, &right_free, left, &left_free, &mut of_right);
    }
    take_apart(left, spine, &of_left);
    take_apart(right, other, &of_right);
}

fn is_prompt(piece: &MergePiece) -> bool {
    piece.by == PieceSpeaker::User && !piece.is_beside()
}

/// The beginning of a gap, up to the first prompt in it.
fn up_to_prompt(pieces: &[MergePiece], gap: Range<usize>) -> Range<usize> {
    let end = gap.clone().find(|at| is_prompt(&pieces[*at])).unwrap_or(gap.end);
    gap.start..end
}

/// How texts are made, by the number of their piece.
type Layouts = HashMap<usize, CutLayout>;

/// Finds texts among `free` pieces that are, on the other side, a free thought alone or with words.
fn find_mixtures(
    pieces: &[MergePiece],
    free: &[usize],
    by: &[MergePiece],
    by_free: &[usize],
    into: &mut Layouts,
) {
    let is_text = |at: &usize| matches!(pieces[*at].mark, PieceMark::Said { by: PieceSpeaker::Agent, .. });
    let texts: Vec<(usize, &str)> =
        free.iter().copied().filter(is_text).filter_map(|at| Some((at, pieces[at].words()?))).collect();
    let lengths = texts.iter().map(|(_, words)| words.len()).collect();
    let mixed = mixtures(by, by_free, &lengths);
    into.extend(texts.into_iter().filter_map(|(at, words)| Some((at, mixed.get(words)?.clone()))));
}

/// Takes texts apart as `layouts` says.
fn take_apart(pieces: &mut Vec<MergePiece>, messages: &[Message], layouts: &Layouts) {
    if layouts.is_empty() {
        return;
    }
    let mut apart = Vec::with_capacity(pieces.len() + layouts.len());
    for (at, piece) in pieces.drain(..).enumerate() {
        let Some(layout) = layouts.get(&at) else {
            apart.push(piece);
            continue;
        };
        let text = text_of(messages, &piece);
        let mut end = 0;
        let mut parts: Vec<(usize, MergePiece)> = Vec::new();
        for &(place, length, is_thought) in layout {
            parts.push((place, cut_out(&piece, text, end, end + length, is_thought)));
            end += length;
        }
        parts.sort_by_key(|(place, _)| *place);
        apart.extend(parts.into_iter().map(|(_, piece)| piece));
    }
    *pieces = apart;
}

/// How a text is made of thoughts and words: the place of each in the layer that has them apart, its length, whether it is
/// a thought.
type CutLayout = Vec<(usize, usize, bool)>;

/// What each thought in `free`, alone, with the words that follow it, and with all of its message, looks like in one text of
/// one of these lengths.
fn mixtures(pieces: &[MergePiece], free: &[usize], lengths: &HashSet<usize>) -> HashMap<String, CutLayout> {
    let mut mixed = HashMap::new();
    if lengths.is_empty() {
        return mixed;
    }
    let spoken = |at: &usize| pieces[*at].words().is_some_and(|words| !words.is_empty());
    for at in free.iter().copied().filter(|at| pieces[*at].is_thought() && spoken(at)) {
        let thought = &pieces[at];
        let first =
            pieces[..at].iter().rposition(|piece| piece.message != thought.message).map_or(0, |at| at + 1);
        let rest = pieces[at..].iter().take_while(|piece| piece.message == thought.message).count();
        let after: Vec<usize> = (at + 1..at + rest).filter(spoken).collect();
        let all: Vec<usize> = (first..at + rest).filter(spoken).collect();
        let next = after.first().filter(|next| !pieces[**next].is_thought()).copied();
        for group in [vec![at], [at].into_iter().chain(next).collect(), all] {
            let length = |at: &usize| pieces[*at].words().map_or(0, str::len);
            if !lengths.contains(&group.iter().map(length).sum()) {
                continue;
            }
            let (thoughts, words): (Vec<usize>, Vec<usize>) =
                group.into_iter().partition(|at| pieces[*at].is_thought());
            for order in [[&thoughts, &words], [&words, &thoughts]] {
                let order: Vec<usize> = order.into_iter().flatten().copied().collect();
                let words: String = order.iter().filter_map(|at| pieces[*at].words()).collect();
                let of = |at: usize| (at, length(&at), pieces[at].is_thought());
                mixed.entry(words).or_insert_with(|| order.into_iter().map(of).collect());
            }
        }
    }
    mixed
}

/// Where pieces are cut: bytes of their words.
type Cuts = HashMap<usize, Vec<usize>>;

/// A stretch of the words of a piece.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    piece: usize,
    from: usize,
    words: &'a str,
    /// All of the piece, with white space.
    text: &'a str,
}

impl<'a> Stretch<'a> {
    fn part(&self, range: Range<usize>) -> Self {
        Self { from: self.from + range.start, words: &self.words[range], ..*self }
    }

    fn all(
        pieces: &'a [MergePiece],
        messages: &'a [Message],
        range: Range<usize>,
        thoughts: bool,
    ) -> Vec<Self> {
        let of = |piece: usize| {
            let words = pieces[piece].words()?;
            let text = &text_of(messages, &pieces[piece])[pieces[piece].span.clone()];
            Some(Self { piece, from: 0, words, text })
        };
        let wanted = range.filter(|at| pieces[*at].is_thought() == thoughts).filter_map(of);
        wanted.filter(|words| !words.words.is_empty()).collect()
    }

    /// Those of the pieces in `range`.
    fn between(all: &[Self], range: Range<usize>) -> Vec<Self> {
        let place = |at: usize| all.partition_point(|one| one.piece < at);
        all[place(range.start)..place(range.end)].to_vec()
    }

    /// Whether a line ends after this many bytes of the words.
    fn has_line_end(&self, at: usize) -> bool {
        let mut left = self.from + at;
        let passed = compared::compared(self.text).find_map(|(place, c)| {
            left = left.saturating_sub(c.len_utf8());
            (left == 0).then_some(place + c.len_utf8())
        });
        let rest = &self.text[passed.unwrap_or(0)..];
        rest.chars().take_while(|c| c.is_whitespace()).any(|c| c == '\n')
    }
}

/// Finds where the words of one side, between the same neighbours, are those of the other side in other pieces.
fn find_cuts<'a>(
    left: Vec<Stretch<'a>>,
    right: Vec<Stretch<'a>>,
    left_cuts: &mut Cuts,
    right_cuts: &mut Cuts,
) {
    let mut todo = vec![Stretches { left, right, follows: false, leads: false }];
    while let Some(stretches) = todo.pop() {
        let Some(found) = stretches.common() else { continue };
        let (before, after) = stretches.around(&found);
        for (cuts, words) in [(&mut *left_cuts, found.left), (&mut *right_cuts, found.right)] {
            cuts.entry(words.piece).or_default().extend([words.from, words.from + words.words.len()]);
        }
        todo.extend([before, after]);
    }
}

/// Words of both sides between the same neighbours.
struct Stretches<'a> {
    left: Vec<Stretch<'a>>,
    right: Vec<Stretch<'a>>,
    /// Both follow the same words without a break.
    follows: bool,
    /// Both lead to the same words without a break.
    leads: bool,
}

/// The same words on both sides.
struct Common<'a> {
    left: Stretch<'a>,
    right: Stretch<'a>,
    places: (usize, usize),
}

/// Shorter words begin or end others by chance.
pub(super) const SHORTEST_END: usize = 4;
/// Shorter words lie inside of others by chance.
const SHORTEST_INSIDE: usize = 16;
/// Words further away are not compared.
const NEAR: usize = 100;

impl<'a> Stretches<'a> {
    fn common(&self) -> Option<Common<'a>> {
        let (last_left, last_right) = (self.left.len().checked_sub(1)?, self.right.len().checked_sub(1)?);
        let begins = |long: &Stretch<'_>, short: &str| long.words.starts_with(short).then_some(0);
        let ends = |long: &Stretch<'_>, short: &str| {
            long.words.ends_with(short).then(|| long.words.len() - short.len())
        };
        let first = self.follows.then(|| self.compare(0, 0, begins));
        let last = || self.leads.then(|| self.compare(last_left, last_right, ends));
        let anywhere = |long: &Stretch<'_>, short: &str| match short.len() {
            // So few words are the same only where they are lines of their own.
            ..SHORTEST_END => begins(long, short)
                .filter(|_| long.words == short || long.has_line_end(short.len()))
                .or_else(|| ends(long, short).filter(|at| long.has_line_end(*at))),
            _ if long.words.starts_with(short) => Some(0),
            SHORTEST_INSIDE.. => long.words.find(short),
            _ => ends(long, short),
        };
        let near = |count: usize| 0..count.min(NEAR);
        let mut all =
            near(self.left.len()).flat_map(|mine| near(self.right.len()).map(move |theirs| (mine, theirs)));
        first
            .flatten()
            .or_else(|| last().flatten())
            .or_else(|| all.find_map(|(mine, theirs)| self.compare(mine, theirs, anywhere)))
    }

    /// Whether one of two holds the other, at the place that `find` names.
    fn compare(
        &self,
        mine: usize,
        theirs: usize,
        find: impl Fn(&Stretch<'a>, &str) -> Option<usize>,
    ) -> Option<Common<'a>> {
        let (left, right) = (self.left[mine], self.right[theirs]);
        let places = (mine, theirs);
        if left.words.len() < right.words.len() {
            let at = find(&right, left.words)?;
            Some(Common { left, right: right.part(at..at + left.words.len()), places })
        } else {
            let at = find(&left, right.words)?;
            Some(Common { left: left.part(at..at + right.words.len()), right, places })
        }
    }

    /// What lies before and after common words.
    fn around(&self, found: &Common<'a>) -> (Self, Self) {
        let before = |all: &[Stretch<'a>], place: usize, common: &Stretch<'a>| {
            let mut before = all[..place].to_vec();
            let rest = all[place].part(0..common.from - all[place].from);
            before.extend(Some(rest).filter(|rest| !rest.words.is_empty()));
            before
        };
        let after = |all: &[Stretch<'a>], place: usize, common: &Stretch<'a>| {
            let end = common.from + common.words.len() - all[place].from;
            let rest = all[place].part(end..all[place].words.len());
            let rest = Some(rest).filter(|rest| !rest.words.is_empty());
            rest.into_iter().chain(all[place + 1..].iter().copied()).collect()
        };
        (
            Self {
                left: before(&self.left, found.places.0, &found.left),
                right: before(&self.right, found.places.1, &found.right),
                follows: self.follows,
                leads: true,
            },
            Self {
                left: after(&self.left, found.places.0, &found.left),
                right: after(&self.right, found.places.1, &found.right),
                follows: true,
                leads: self.leads,
            },
        )
    }
}

/// Cuts pieces where `cuts` says.
fn cut(pieces: &mut Vec<MergePiece>, messages: &[Message], cuts: &Cuts) {
    if cuts.is_empty() {
        return;
    }
    let mut apart = Vec::with_capacity(pieces.len() + cuts.len());
    for (at, piece) in pieces.drain(..).enumerate() {
        let length = piece.words().map_or(0, str::len);
        let mut ends: Vec<usize> = cuts.get(&at).into_iter().flatten().copied().collect();
        ends.retain(|end| (1..length).contains(end));
        if ends.is_empty() {
            apart.push(piece);
            continue;
        }
        ends.push(length);
        ends.sort_unstable();
        ends.dedup();
        let mut from = 0;
        for end in ends {
            apart.push(cut_out(&piece, text_of(messages, &piece), from, end, piece.is_thought()));
            from = end;
        }
    }
    *pieces = apart;
}
