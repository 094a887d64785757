//! What a typed word or phrase means to the full-text table.

use super::alphabet::fold_into;
use super::stream::{whole_file_name, whole_identifier, whole_number};
use super::walk::{Sink, walk};

/// One typed word or phrase, as words of the index. All of them are folded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Typed {
    /// The names that must stand side by side, in this order, each with the pieces it was typed in: `GitHub Action` as
    /// `[[git, hub], [action]]`. Empty if nothing of it is ever indexed.
    pub names: Vec<Vec<String>>,
    /// The one token that stands for all of it, where it is a single identifier or file name of several pieces.
    pub whole: Option<String>,
    /// A number with dots: longer ones that begin with it are meant too, as `1.2` means `1.2.3`.
    pub is_number: bool,
    /// The last piece is a single character of a dense script: what begins with it is meant too.
    pub is_single: bool,
}

impl Typed {
    /// What `text` means.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let mut reader = Reader { length: text.len(), ..Reader::default() };
        walk(text, &mut reader);
        let is_number = reader.numbers == 1 && reader.typed.names.len() == 1;
        let is_single = reader.alone && reader.last_of_run.is_some();
        let single = reader.last_of_run.take().filter(|_| is_single);
        reader.typed.names.extend(single.map(|(single, _)| vec![single]));
        Self { is_number, is_single, ..reader.typed }
    }

    /// All pieces, in order.
    pub fn pieces(&self) -> Vec<&str> {
        self.names.iter().flatten().map(String::as_str).collect()
    }
}

#[derive(Default)]
struct Reader {
    length: usize,
    typed: Typed,
    /// Where each name begins.
    starts: Vec<usize>,
    numbers: usize,
    /// The last character of the dense run just ended. If more follows, it is a token between; at the very end the
    /// run may go on in the text, so that it is not.
    last_of_run: Option<(String, usize)>,
    /// That character is the whole run, and no pair has it.
    alone: bool,
}

impl Reader {
    fn push(&mut self, piece: String, start: usize) {
        self.push_last_of_run();
        self.typed.names.push(vec![piece]);
        self.starts.push(start);
    }

    /// Something follows the dense run that ended: its last character is a token of its own.
    fn push_last_of_run(&mut self) {
        if let Some((last, start)) = self.last_of_run.take() {
            self.typed.names.push(vec![last]);
            self.starts.push(start);
        }
    }
}

impl Sink for Reader {
    fn piece(&mut self, text: &str, start: usize) {
        let mut folded = String::with_capacity(text.len());
        fold_into(text, &mut folded);
        self.push(folded, start);
    }

    fn number(&mut self, text: &str, start: usize) {
        let mut folded = String::with_capacity(text.len());
        whole_number(text, &mut folded);
        self.numbers += 1;
        self.push(folded, start);
    }

    /// The whole number was typed, and is meant.
    fn end_of_number(&mut self, _text: &str, _start: usize) {}

    fn identifier(&mut self, text: &str, start: usize) {
        let first = self.starts.partition_point(|begins| *begins < start);
        let pieces: Vec<String> = self.typed.names.drain(first..).flatten().collect();
        self.typed.names.push(pieces);
        self.starts.truncate(first + 1);
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

    fn dense_end(&mut self, last: &str, start: usize, alone: bool) {
        let mut folded = String::new();
        fold_into(last, &mut folded);
        self.push_last_of_run();
        self.last_of_run = Some((folded, start));
        self.alone = alone;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(text: &str) -> String {
        let typed = Typed::parse(text);
        let whole = typed.whole.as_ref().map(|whole| format!(" | {whole}")).unwrap_or_default();
        let more = if typed.is_number || typed.is_single { "*" } else { "" };
        typed.names.iter().map(|name| name.join("·")).collect::<Vec<_>>().join(" ") + more + &whole
    }

    #[test]
    fn what_is_typed_means_what_is_indexed() {
        let table = [
            ("word", "word"),
            ("fooBar", "foo·bar | foobar"),
            ("foo_bar", "foo·bar | foobar"),
            ("foo bar", "foo bar"),
            ("the GitHub Action", "the git·hub action"),
            ("src/sync_engine.rs", "src sync·engine rs"),
            ("sync_engine.rs", "sync·engine rs | sync_engine_rs"),
            ("v1.2", "1_2*"),
            ("自动", "自动"),
            ("自动化 test", "自动 动化 化 test"),
            ("自", "自*"),
            ("a 自", "a 自*"),
            ("!?", ""),
            ("std::fs::read_to_string", "std fs read·to·string"),
        ];
        for (text, expected) in table {
            assert_eq!(means(text), expected, "{text}");
        }
    }
}
