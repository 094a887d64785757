//! Lines that a terminal, a diff or a quotation broke in the middle of a secret, put together again.
//!
//! A [`Joined`] is a view of such lines as one. Any two lines may stand like this, so [`Joined::is_broken`] decides for each find
//! whether its lines belong together.

use std::ops::Range;

use crate::alphabet::Alphabet;
use crate::disguise::{View, table};
use crate::finder::{Find, Surety};
use crate::likely;

/// Width from which on a line may be a full line of a terminal.
const WIDE: usize = 60;

/// Width from which on the next line may begin with a margin of several spaces.
const WIDE_BEFORE_MARGIN: usize = 30;

/// Maximum width of a margin.
const WIDEST_MARGIN: usize = 24;

/// Maximum distance between the beginnings of two finds of which the first reaches into the second.
const FAR: usize = 4096;

/// Minimum length of what goes on, where a token could as well end before it.
const SHORTEST_PIECE: usize = 8;

/// Minimum length of what stands on both sides of a line end together, and maximum of what is looked at.
const SHORTEST_RUN: usize = 16;
const LONGEST_RUN: usize = 512;

/// Lines as one.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    pub(crate) view: View,
    breaks: Vec<Break>,
}

/// Where two lines were joined.
#[derive(Debug, Clone)]
struct Break {
    /// Place in the view.
    at: usize,
    /// Place in the text where the second line begins, behind its margin.
    begin: usize,
    is_wide: bool,
    /// True if the second line holds nothing but what goes on.
    is_whole: bool,
    /// The letters with which the second line goes on.
    letters: Letters,
    /// True if the second line begins with a name and a sign, or with a number that says so.
    is_named: bool,
}

/// How letters look that may be a piece of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Letters {
    /// As words.
    Words,
    /// As made by chance, or too few to tell.
    Chance,
    /// As hardly anything but a piece of a secret.
    Strange,
}

impl Joined {
    /// True if the lines that `find` crosses were one line. It stands at `outside` in the text, where `alone` was found line by line.
    pub(crate) fn is_broken(&self, find: &Find, outside: &Range<usize>, alone: &[Find]) -> bool {
        let breaks = || self.within(&find.range).iter();
        let first = alone.partition_point(|other| other.range.start + FAR < outside.start);
        let last = alone.partition_point(|other| other.range.start < outside.end);
        let alone = &alone[first..last];
        // Behind a name and a sign stands another value, if this is no token of just the right length.
        let is_exact = find.surety == Surety::Certain && !find.is_open;
        let is_begun = alone.iter().any(|other| other.range.start == outside.start);
        let is_token =
            |line: &Break| is_exact || (find.surety == Surety::Certain && !is_begun && line.is_wide);
        let is_apart = |line: &Break| line.is_named && !is_token(line);
        let is_inside = |at: usize| outside.start < at && at < outside.end;
        let starts_another = alone
            .iter()
            .filter(|other| other.surety >= find.surety)
            .any(|other| breaks().any(|line| line.begin == other.range.start));
        let ends_another =
            alone.iter().any(|other| other.range.start < outside.start && is_inside(other.range.end));
        if starts_another || ends_another || breaks().any(is_apart) {
            return false;
        }
        // A complete token ends there, if no longer shape of its kind is known.
        let is_complete = |other: &&Find| other.surety == Surety::Certain && !other.is_open;
        let so_far = alone.iter().filter(|other| other.range.start == outside.start);
        if so_far.filter(is_complete).any(|other| is_exact || other.kind != find.kind) {
            return false;
        }
        let is_wrapped = || {
            let first = breaks().next().map_or(find.range.end, |line| line.at);
            let is_alike = self.is_alike(find.range.start..first, first..find.range.end);
            let is_token = find.surety == Surety::Certain;
            let goes_on = self.view.text[find.range.end..]
                .starts_with(|c: char| c.is_ascii_alphanumeric() || "_-/+".contains(c));
            let is_whole = |line: &Break| {
                if is_token { line.letters == Letters::Strange && !goes_on } else { line.is_whole }
            };
            let is_prose = likely::is_one_word(
                self.view.text[find.range.start..first].trim_end_matches(['.', ',', ':']),
            );
            breaks().all(|line| line.is_wide && line.letters > Letters::Words && is_whole(line))
                && is_alike
                && !is_prose
        };
        let is_of_path = || self.view.text[..find.range.start].ends_with(['/', '.']);
        match find.surety {
            _ if find.is_encoded => breaks().all(|line| line.is_whole),
            // A token of this length is nothing else, where no shorter one is known.
            _ if is_exact && likely::is_small(&find.secret) => false,
            _ if is_exact => !is_of_path() || breaks().all(|line| line.is_wide),
            Surety::Certain if !is_begun => {
                let is_piece =
                    |line: &Break| line.is_whole || (line.is_wide && line.letters > Letters::Words);
                breaks().all(is_piece) && !is_of_path()
            }
            _ => is_wrapped(),
        }
    }

    /// True if a find crosses from one line into another.
    pub(crate) fn crosses(&self, find: &Range<usize>) -> bool {
        !self.within(find).is_empty()
    }

    fn within(&self, range: &Range<usize>) -> &[Break] {
        let first = self.breaks.partition_point(|line| line.at <= range.start);
        let last = self.breaks.partition_point(|line| line.at < range.end);
        &self.breaks[first..last.max(first)]
    }

    /// True if the kinds of letters of the first piece are in a long second one, too.
    fn is_alike(&self, first: Range<usize>, second: Range<usize>) -> bool {
        let (first, second) = (&self.view.text[first], &self.view.text[second]);
        let kinds: [Kind; 3] =
            [(u8::is_ascii_lowercase, 14), (u8::is_ascii_uppercase, 14), (u8::is_ascii_digit, 40)];
        kinds.iter().all(|(is, telling)| {
            second.len() < *telling || !first.as_bytes().iter().any(is) || second.as_bytes().iter().any(is)
        })
    }
}

/// A kind of letters, and how long a piece holds none of them only by rare chance.
type Kind = (fn(&u8) -> bool, usize);

/// Whether a letter may belong to a secret that goes on in the next line.
fn goes_on(byte: u8) -> bool {
    const TABLE: [bool; 256] = table(b"_-+/=.~%$:{},!");
    TABLE[usize::from(byte)]
}

/// Maximum number of lines that one secret is broken into, if other lines may be joined to them by mistake.
const MOST_LINES: usize = 4;

/// Maximum number of lines in which such secrets are looked for. More are a file in base64.
const LONGEST_STRETCH: usize = 16;

/// A line that may go on, and how it goes on with the one before.
type Line = (Range<usize>, Option<Break>);

/// Lines that may be one: every stretch of them, and every few lines of a short one.
pub(crate) fn joined_lines(text: &str) -> Vec<Joined> {
    let mut all: Vec<Joined> = Vec::new();
    let mut stretch: Vec<Line> = Vec::new();
    let (mut start, mut width) = (0, 0);
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        // Only the last line of a stretch is shorter than the others. It may be the first one of the next.
        if !stretch.is_empty() && end - start + SHORTEST_RUN < width {
            close(text, &mut stretch, end, &mut all);
        }
        let Some((stop, line)) = broken(text, start, end).filter(|_| end < text.len()) else {
            close(text, &mut stretch, end, &mut all);
            start = end + 1;
            continue;
        };
        match stretch.last_mut() {
            Some((range, _)) => range.end = stop,
            None => stretch.push((start..stop, None)),
        }
        (width, start) = (end - start, line.begin);
        stretch.push((start..start, Some(line)));
    }
    all
}

/// Ends a stretch whose last line ends at `end`, and joins its lines.
fn close(text: &str, stretch: &mut Vec<Line>, end: usize, all: &mut Vec<Joined>) {
    let Some((range, _)) = stretch.last_mut() else { return };
    range.end = end;
    let mut join = |lines: &[Line]| {
        let mut joined = Joined::default();
        for (number, (range, line)) in lines.iter().enumerate() {
            let at = joined.view.text.len();
            joined.breaks.extend(line.clone().filter(|_| number > 0).map(|line| Break { at, ..line }));
            joined.view.push(&text[range.clone()], range.start);
        }
        all.push(joined);
    };
    let most = if stretch.len() > LONGEST_STRETCH { 0 } else { MOST_LINES.min(stretch.len() - 1) };
    let is_base64 =
        |(range, _): &Line| range.len() >= WIDE && Alphabet::Base64.run(&text[range.clone()]) == range.len();
    for first in 0..stretch.len() {
        // In the middle of a file in base64 nothing begins.
        if first == 0 || !is_base64(&stretch[first - 1]) {
            (2..=most).filter_map(|count| stretch.get(first..first + count)).for_each(&mut join);
        }
    }
    join(stretch);
    stretch.clear();
}

/// Where the line from `start` to `end` stops, and how it goes on in the next, if it may.
fn broken(text: &str, start: usize, end: usize) -> Option<(usize, Break)> {
    let bytes = text.as_bytes();
    let may_end =
        |byte: &u8| goes_on(*byte) || matches!(byte, b'\r' | b'\\' | b' ' | b'|' | 0x82 | 0x83 | 0x91);
    let (last, first) = (bytes[..end].last()?, bytes.get(end + 1)?);
    if !may_end(last) || !(goes_on(*first) || matches!(first, b' ' | b'>' | b'|' | b'#' | b'*' | 0xe2)) {
        return None;
    }
    let stop = start + line_length(text.get(start..end)?);
    let margin =
        margin(text.get(line_start(text, start)..)?, text.get(end + 1..)?, stop - line_start(text, start))?;
    let begin = end + 1 + margin;
    let run = |bytes: &mut dyn Iterator<Item = &u8>| {
        bytes.take(LONGEST_RUN).take_while(|byte| goes_on(**byte)).count()
    };
    let right = run(&mut bytes[begin..].iter());
    let left = run(&mut bytes[start..stop].iter().rev());
    if right == 0 || left == 0 || left + right < SHORTEST_RUN {
        return None;
    }
    let (left, right) = (&text[stop - left..stop], &text[begin..begin + right]);
    // Nothing goes on with more than fits into a line.
    let is_file = right.len() >= WIDE && Alphabet::Base64.run(right) == right.len();
    if is_file && right.len() > stop - line_start(text, start) + 8 {
        return None;
    }
    if is_prose(left, right) {
        return None;
    }
    let behind = text[begin + right.len()..].split('\n').next().unwrap_or_default();
    let is_whole = line_length(behind.trim_start_matches(['"', '\'', ',', ';'])) == 0;
    let word = right.trim_end_matches(['.', ',', ':', '!']);
    let is_word = likely::is_one_word(word) && likely::is_all_words(word) || likely::is_words(word);
    let is_strange = word.len() >= SHORTEST_PIECE
        && (likely::is_gibberish(word) || likely::is_random(word))
        && !(likely::is_example(word) || likely::is_all_words(word) || likely::is_hash(word));
    let letters = match (word.len() >= 4 && is_word, is_strange) {
        (true, _) => Letters::Words,
        (false, true) => Letters::Strange,
        (false, false) => Letters::Chance,
    };
    let name = right.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)).count();
    let sign = right[name..].trim_end_matches('=');
    let is_named = right.starts_with("0x")
        || sign.starts_with(['=', ':'])
        || (right[name..].starts_with(['=', ':']) && behind.starts_with(['"', '\'']))
        || (right.len() == name && behind.starts_with(['(', '[', '<']));
    let is_wide = stop - line_start(text, start) >= WIDE && !text[begin..].starts_with("// ");
    Some((stop, Break { at: 0, begin, is_wide, is_whole, letters, is_named }))
}

/// The length of a line without what a terminal or a shell puts at its end: spaces, the frame of a box, a backslash.
fn line_length(line: &str) -> usize {
    let line = line.trim_end_matches(['\r', ' ']);
    let inner = line.strip_suffix(['│', '|', '┃', '║']).map_or(line, |line| line.trim_end_matches(' '));
    inner.strip_suffix('\\').unwrap_or(inner).len()
}

/// The length of what stands before a line: signs and spaces that the line before has, too, or the mark of a diff, a quotation or
/// a box and, behind a wide line, any number of spaces.
fn margin(before: &str, line: &str, width: usize) -> Option<usize> {
    let is_margin = |c: &char| matches!(c, ' ' | '│' | '║' | '┃' | '|' | '>' | '#' | '/' | '*');
    let same = before
        .chars()
        .zip(line.chars())
        .take(WIDEST_MARGIN)
        .take_while(|(one, other)| one == other && is_margin(one));
    let same: usize = same.map(|(c, _)| c.len_utf8()).sum();
    if same > 1
        && !line[same..].starts_with(' ')
        && before[same..].starts_with(|c: char| c.is_ascii_graphic())
    {
        return Some(same);
    }
    let mark = ["+", "-", "> ", "│", "┃", "|", " "]
        .iter()
        .find(|mark| before.starts_with(**mark) && line.starts_with(**mark));
    // A row of dashes is no mark.
    let mark = mark
        .filter(|mark| **mark == " " || !before[mark.len()..].starts_with(**mark))
        .map_or(0, |mark| mark.len());
    let spaces = line[mark..].bytes().take(WIDEST_MARGIN).take_while(|byte| *byte == b' ').count();
    (mark + spaces <= 1 || width >= WIDE_BEFORE_MARGIN || spaces == 0).then_some(mark + spaces)
}

/// Whether the end of one line and the beginning of the next are words or names, not chance.
fn is_prose(left: &str, right: &str) -> bool {
    let joined = format!("{left}{right}");
    likely::is_spoken(&joined) && likely::is_all_words(&joined)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}
