//! Code in colour, as far as it goes: grammars are slow, so neither a huge block nor a huge page is coloured whole.

use std::cell::Cell;

use maud::{Markup, PreEscaped, Render};
use syntect::parsing::{ParseState, ScopeStack, SyntaxReference};

use super::language::SYNTAXES;
use super::token_class::class_of;

/// The longest block that is coloured.
const LONGEST_BLOCK: usize = 64 * 1024;

/// Lines longer than this are nobody's handwriting, and grammars take their time over them.
const LONGEST_LINE: usize = 2_000;

/// How many bytes are coloured on one page.
const LONGEST_PAGE: usize = 96 * 1024;

/// What may still be coloured.
#[derive(Debug)]
pub(super) struct Highlighting {
    left: Cell<usize>,
}

impl Default for Highlighting {
    fn default() -> Self {
        Self { left: Cell::new(LONGEST_PAGE) }
    }
}

impl Highlighting {
    /// `code` in the colours of `syntax`, or plain where that would take too long.
    pub(super) fn colour(&self, code: &str, syntax: Option<&SyntaxReference>) -> Markup {
        let is_short = code.len() <= LONGEST_BLOCK && code.lines().all(|line| line.len() <= LONGEST_LINE);
        let left = self.left.get().checked_sub(code.len()).filter(|_| is_short);
        let coloured = syntax.zip(left).and_then(|(syntax, left)| {
            self.left.set(left);
            coloured(code, syntax)
        });
        coloured.map_or_else(|| code.render(), PreEscaped)
    }
}

/// `code` with a span around each run of one class; `None` where the grammar gives up.
fn coloured(code: &str, syntax: &SyntaxReference) -> Option<String> {
    let mut spans = Spans { html: String::with_capacity(code.len() * 2), class: "" };
    let (mut state, mut stack) = (ParseState::new(syntax), ScopeStack::new());
    for line in code.split_inclusive('\n') {
        // The grammars want every line to end.
        let ended = if line.ends_with('\n') { line.to_owned() } else { format!("{line}\n") };
        let changes = state.parse_line(&ended, &SYNTAXES).ok()?;
        let mut from = 0;
        for (at, change) in changes {
            spans.write(line.get(from..at.min(line.len())).unwrap_or_default(), class_of(&stack));
            from = at.min(line.len()).max(from);
            stack.apply(&change).ok()?;
        }
        spans.write(line.get(from..).unwrap_or_default(), class_of(&stack));
    }
    Some(spans.end())
}

/// Spans as they are written, neighbours of one class as one.
struct Spans {
    html: String,
    class: &'static str,
}

impl Spans {
    fn write(&mut self, text: &str, class: &'static str) {
        // White space needs no colour, so it does not end a span.
        let is_seen = text.contains(|c: char| !c.is_whitespace());
        if is_seen && class != self.class {
            self.close();
            if !class.is_empty() {
                self.html.push_str("<span class=\"");
                self.html.push_str(class);
                self.html.push_str("\">");
            }
            self.class = class;
        }
        text.render_to(&mut self.html);
    }

    fn close(&mut self) {
        if !self.class.is_empty() {
            self.html.push_str("</span>");
        }
        self.class = "";
    }

    fn end(mut self) -> String {
        self.close();
        self.html
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::language::named;

    #[test]
    fn code_is_coloured_by_a_few_classes_and_keeps_its_text() {
        let html = Highlighting::default().colour("fn a() { \"<b>\" } // x", named("rust")).into_string();
        insta::assert_snapshot!(html, @r#"<span class="k">fn </span><span class="f">a</span>() { <span class="s">&quot;&lt;b&gt;&quot; </span>} <span class="c">// x</span>"#);
    }

    #[test]
    fn what_is_too_long_stays_plain() {
        let highlighting = Highlighting::default();
        let block = "let a = 1;\n".repeat(LONGEST_BLOCK / 11);
        assert!(highlighting.colour(&block, named("rust")).into_string().contains("<span"));
        let second = highlighting.colour(&block, named("rust")).into_string();
        assert!(!second.contains("<span"), "the page's share is used up");
        assert!(
            highlighting.colour("let a = 1;", named("rust")).into_string().contains("<span"),
            "but for little"
        );
        let long_line = format!("let a = {};", "1".repeat(LONGEST_LINE));
        assert!(!Highlighting::default().colour(&long_line, named("rust")).into_string().contains("<span"));
    }
}
