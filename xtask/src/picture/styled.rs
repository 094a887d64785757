//! Colour codes of a terminal, read back into spans. Knows only what the program's palette uses: a code that it does not
//! know is an error, so that the picture cannot be wrong in silence.

use crate::arguments::Trouble;

/// How a span looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Look {
    pub(super) is_bold: bool,
    pub(super) is_dim: bool,
    /// One of the eight colours, by its number.
    pub(super) colour: Option<u8>,
}

/// Text in one look, and the cell in which it begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) cell: usize,
    pub(super) look: Look,
    pub(super) text: String,
}

/// The lines of `output`, each as its spans. Every character is taken for one cell; the demo home has no wide ones.
pub(super) fn lines(output: &str) -> Result<Vec<Vec<Span>>, Trouble> {
    let mut look = Look::default();
    output.lines().map(|line| spans(line, &mut look)).collect()
}

fn spans(line: &str, look: &mut Look) -> Result<Vec<Span>, Trouble> {
    let mut spans = Vec::new();
    let mut cell = 0;
    for (number, piece) in line.split("\u{1b}[").enumerate() {
        let text = if number == 0 {
            piece
        } else {
            let (codes, text) = piece.split_once('m').ok_or("a control sequence that is not a colour")?;
            codes.split(';').try_for_each(|code| apply(code, look))?;
            text
        };
        let indent = text.chars().take_while(|c| *c == ' ').count();
        let shown = text.trim();
        if !shown.is_empty() {
            spans.push(Span { cell: cell + indent, look: *look, text: shown.to_owned() });
        }
        cell += text.chars().count();
    }
    Ok(spans)
}

fn apply(code: &str, look: &mut Look) -> Result<(), Trouble> {
    match code.parse::<u8>() {
        Ok(0) => *look = Look::default(),
        Ok(1) => look.is_bold = true,
        Ok(2) => look.is_dim = true,
        Ok(colour @ 30..=37) => look.colour = Some(colour - 30),
        _ => return Err(format!("the picture knows no colour code {code:?}").into()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_spans_in_their_cells() {
        let read = lines("\u{1b}[1m\u{1b}[36m❯ You\u{1b}[0m  at noon\n").expect("known codes");
        let user = Look { is_bold: true, is_dim: false, colour: Some(6) };
        let expected = [
            Span { cell: 0, look: user, text: "❯ You".to_owned() },
            Span { cell: 7, look: Look::default(), text: "at noon".to_owned() },
        ];
        assert_eq!(read, [expected]);
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        assert!(lines("\u{1b}[5mblink").is_err());
        assert!(lines("\u{1b}[2Kerased").is_err());
    }
}
