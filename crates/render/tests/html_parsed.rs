//! A page as a browser's tokenizer sees it: elements, attributes, text.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};

/// An element without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    /// The elements around it, the outermost first.
    pub(crate) within: Vec<String>,
    pub(crate) attributes: Vec<(String, String)>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What was found in a page.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) elements: Vec<Element>,
    /// The text, without that of style and script.
    pub(crate) text: String,
    /// Elements that are closed in the wrong place, and whatever else a tokenizer complains of.
    pub(crate) errors: Vec<String>,
}

/// Elements that hold nothing.
const VOID: &[&str] = &["meta", "br", "hr", "img", "input", "link", "wbr"];

#[derive(Default)]
struct Sink {
    parsed: RefCell<Parsed>,
    open: RefCell<Vec<String>>,
    is_raw: Cell<bool>,
}

impl Sink {
    fn tag(&self, tag: &Tag) -> TokenSinkResult<()> {
        let name = tag.name.to_string();
        let mut parsed = self.parsed.borrow_mut();
        let mut open = self.open.borrow_mut();
        if tag.kind == TagKind::EndTag {
            self.is_raw.set(false);
            let expected = open.pop();
            if expected.as_deref() != Some(name.as_str()) {
                parsed.errors.push(format!("</{name}> closes {expected:?}"));
            }
            return TokenSinkResult::Continue;
        }
        let attributes =
            tag.attrs.iter().map(|at| (at.name.local.to_string(), at.value.to_string())).collect();
        parsed.elements.push(Element { name: name.clone(), within: open.clone(), attributes });
        if !VOID.contains(&name.as_str()) {
            open.push(name.clone());
        }
        match name.as_str() {
            "style" => {
                self.is_raw.set(true);
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            "script" => {
                self.is_raw.set(true);
                TokenSinkResult::RawData(RawKind::ScriptData)
            }
            "title" => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) => return self.tag(&tag),
            Token::CharacterTokens(text) if !self.is_raw.get() => {
                self.parsed.borrow_mut().text.push_str(&text);
            }
            Token::ParseError(error) => self.parsed.borrow_mut().errors.push(error.into_owned()),
            Token::CommentToken(comment) => {
                self.parsed.borrow_mut().errors.push(format!("comment {comment}"));
            }
            Token::NullCharacterToken => self.parsed.borrow_mut().errors.push("a null character".to_owned()),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// Parses a page, or a piece of one.
pub(crate) fn parsed(html: &str) -> Parsed {
    let tokenizer = Tokenizer::new(Sink::default(), html5ever::tokenizer::TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let Sink { parsed, open, .. } = tokenizer.sink;
    let mut parsed = parsed.into_inner();
    parsed.errors.extend(open.into_inner().into_iter().map(|name| format!("<{name}> is never closed")));
    parsed
}
