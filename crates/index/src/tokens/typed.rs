//! What a typed word or phrase means to the full-text table.

use super::fold::fold_into;
use super::stream::{whole_file_name, whole_identifier, whole_number};
use super::walk::{Sink, walk};

/// One typed word or phrase, as words of the index. All of them are folded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Typed {
    /// The pieces that must stand side by side, in this order. Empty if nothing of it is ever indexed.
    pub pieces: Vec<String>,
    /// The one token that stands for all of it, where it is a single identifier or file name of several pieces.
    pub whole: Option<String>,
    /// A number with dots: longer ones that begin with it are meant too, as `1.2` means `1.2.3`.
    pub is_number: bool,
    /// The last piece is a single character of a dense script: what begins with it is meant too.
    pub is_single: bool,
}

impl Typed {
    /// What `text` means.
    pub fn of(text: &str) -> Self {
        let text = text.trim();
        let mut reader = Reader { length: text.len(), ..Reader::default() };
        walk(text, &mut reader);
        let is_number = reader.numbers == 1 && reader.typed.pieces.len() == 1;
        let is_single = reader.alone && reader.last_of_run.is_some();
        let single = reader.last_of_run.take().filter(|_| is_single);
        reader.typed.pieces.extend(single);
        Self { is_number, is_single, ..reader.typed }
    }
}

#[derive(Default)]
struct Reader {
    length: usize,
    typed: Typed,
    numbers: usize,
    /// The last character of the dense run just ended. If more follows, it is a token between; at the very end the
    /// run may go on in the text, so that it is not.
    last_of_run: Option<String>,
    /// That character is the whole run, and no pair tells it.
    alone: bool,
}

impl Reader {
    fn push(&mut self, piece: String) {
        self.typed.pieces.extend(self.last_of_run.take());
        self.typed.pieces.push(piece);
    }
}

impl Sink for Reader {
    fn piece(&mut self, text: &str, _start: usize) {
        let mut folded = String::with_capacity(text.len());
        fold_into(text, &mut folded);
        self.push(folded);
    }

    fn number(&mut self, text: &str, _start: usize) {
        let mut folded = String::with_capacity(text.len());
        whole_number(text, &mut folded);
        self.numbers += 1;
        self.push(folded);
    }

    fn identifier(&mut self, text: &str, start: usize) {
        if start == 0 && text.len() == self.length {
            let mut whole = String::new();
            whole_identifier(text, &mut whole);
            self.typed.whole = Some(whole);
        }
    }

    fn file_name(&mut self, text: &str, start: usize) {
        if start == 0 && text.len() == self.length {
            let mut whole = String::new();
            whole_file_name(text, &mut whole);
            self.typed.whole = Some(whole);
        }
    }

    fn dense_end(&mut self, last: &str, _start: usize, alone: bool) {
        let mut folded = String::new();
        fold_into(last, &mut folded);
        self.typed.pieces.extend(self.last_of_run.take());
        self.last_of_run = Some(folded);
        self.alone = alone;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(text: &str) -> String {
        let typed = Typed::of(text);
        let whole = typed.whole.map(|whole| format!(" | {whole}")).unwrap_or_default();
        let more = if typed.is_number || typed.is_single { "*" } else { "" };
        typed.pieces.join(" ") + more + &whole
    }

    #[test]
    fn what_is_typed_means_what_is_indexed() {
        let table = [
            ("word", "word"),
            ("fooBar", "foo bar | foobar"),
            ("foo_bar", "foo bar | foobar"),
            ("foo bar", "foo bar"),
            ("src/sync_engine.rs", "src sync engine rs"),
            ("sync_engine.rs", "sync engine rs | sync_engine_rs"),
            ("v1.2", "1_2*"),
            ("自动", "自动"),
            ("自动化 test", "自动 动化 化 test"),
            ("自", "自*"),
            ("a 自", "a 自*"),
            ("!?", ""),
            ("std::fs::read_to_string", "std fs read to string"),
        ];
        for (text, expected) in table {
            assert_eq!(means(text), expected, "{text}");
        }
    }
}
