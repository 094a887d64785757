//! Takes a user's message apart: words, time, pictures, attachments.

use backscroll_model::{Attachment, AttachmentKind, Image, Part};
use jiff::Timestamp;

use super::tags::{self, Element};
use super::wrapper::{self, Meaning};
use super::{images, timestamp};

/// A user's message without its wrappers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserText {
    /// What the user typed, verbatim; empty if the message is context only.
    pub text: String,
    /// The time that a `<timestamp>` line gives.
    pub at: Option<Timestamp>,
    /// Context that stood around the words.
    pub attachments: Vec<Attachment>,
    /// Pictures that the message names.
    pub images: Vec<Image>,
    /// Nothing was typed: the editor put the whole message there.
    pub is_context: bool,
}

impl UserText {
    /// The parts that it makes: what stood around the words, then the pictures, then the words.
    pub(crate) fn into_parts(self) -> Vec<Part> {
        let around = self.attachments.into_iter().map(|one| Part::Attachment(Box::new(one)));
        let words = Some(self.text).filter(|text| !text.trim().is_empty()).map(Part::Text);
        around.chain(self.images.into_iter().map(Part::from)).chain(words).collect()
    }
}

/// The tag around the words.
const QUERY: &str = "user_query";

/// Takes the wrappers off `text`.
pub fn unwrap(text: &str) -> UserText {
    let elements = tags::elements(text, QUERY);
    if elements.is_empty() && !text.contains("[Image]") {
        return UserText { text: text.to_owned(), ..UserText::default() };
    }
    // A query that stands inside an attached file is no query of this message: look before deciding.
    let mut taken = walk(text, &elements, false);
    if taken.saw_query {
        taken = walk(text, &elements, true);
    }
    taken.finish(text)
}

fn walk(text: &str, elements: &[Element<'_>], has_query: bool) -> Taken {
    let queries = elements.iter().filter(|element| element.name == QUERY);
    let mut taken =
        Taken { has_query, query_starts: queries.map(|query| query.start).collect(), ..Taken::default() };
    let mut at = 0;
    for element in elements {
        if element.start >= at && taken.take(element) {
            taken.outside(&text[at..element.start]);
            at = element.end;
        }
    }
    taken.outside(&text[at..]);
    taken
}

/// The folder on the `Workspace Path:` line of `<user_info>`.
pub fn workspace_path(text: &str) -> Option<String> {
    let elements = tags::elements(text, QUERY);
    let info = elements.iter().find(|element| element.name == "user_info")?;
    let mut lines = info.inner.lines().map(str::trim);
    let path = lines.find_map(|line| line.strip_prefix("Workspace Path:"))?.trim();
    (!path.is_empty()).then(|| path.to_owned())
}

#[derive(Default)]
struct Taken {
    has_query: bool,
    saw_query: bool,
    query_starts: Vec<usize>,
    queries: Vec<String>,
    outside: Vec<String>,
    result: UserText,
    meanings: Vec<Meaning>,
}

impl Taken {
    /// Takes `element` off, unless it is a piece of the text itself.
    fn take(&mut self, element: &Element<'_>) -> bool {
        match element.name {
            QUERY => self.query(element.inner),
            "timestamp" => match timestamp::parse(element.inner) {
                Some(at) => self.result.at = self.result.at.or(Some(at)),
                None if self.has_query => self.attach(element, AttachmentKind::Context),
                None => return false,
            },
            "image_files" => {
                let (listed, rest) = images::listed(element.inner);
                self.result.images.extend(listed);
                if !rest.is_empty() {
                    let note = Attachment::new(AttachmentKind::Context);
                    self.result.attachments.push(note.titled(element.name).saying(rest));
                }
            }
            name => match wrapper::meaning(name) {
                Some((meaning, kind)) => {
                    self.meanings.push(meaning);
                    self.attach(element, kind);
                }
                None if self.has_query && is_snake_case(name) && !self.holds_query(element) => {
                    self.attach(element, AttachmentKind::Context);
                }
                None => return false,
            },
        }
        true
    }

    /// Whether the words stand inside `element`: then it is no attachment.
    fn holds_query(&self, element: &Element<'_>) -> bool {
        let first_inside = self.query_starts.partition_point(|start| *start < element.start);
        self.query_starts.get(first_inside).is_some_and(|start| *start < element.end)
    }

    fn attach(&mut self, element: &Element<'_>, kind: AttachmentKind) {
        self.result.attachments.extend(wrapper::attachments(element, kind));
    }

    /// A query that holds nothing but the editor's own context was not typed.
    fn query(&mut self, inner: &str) {
        self.saw_query = true;
        let mut rest = inner.trim_matches(['\n', '\r']);
        let elements = tags::elements(rest, "");
        let mut context = Vec::new();
        let mut at = 0;
        let mut is_typed = false;
        for element in &elements {
            match wrapper::meaning(element.name) {
                _ if element.start < at => {}
                Some((meaning @ (Meaning::Environment | Meaning::Context), kind)) => {
                    is_typed |= !rest[at..element.start].trim().is_empty();
                    context.push((element, meaning, kind));
                    at = element.end;
                }
                _ => is_typed = true,
            }
        }
        is_typed |= !rest[at..].trim().is_empty();
        if !is_typed {
            for (element, meaning, kind) in context {
                self.meanings.push(meaning);
                self.attach(element, kind);
            }
            rest = "";
        }
        if !rest.trim().is_empty() {
            self.queries.push(rest.to_owned());
        }
    }

    fn outside(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.outside.push(text.to_owned());
        }
    }

    fn finish(mut self, whole: &str) -> UserText {
        let untouched = self.outside.len() == 1 && self.outside[0].len() == whole.len();
        let (outside, pictures) = images::without_placeholders(&self.outside.join(""));
        while self.result.images.len() < pictures {
            self.result.images.push(Image::default());
        }
        let outside = outside.trim();
        let beside_environment = self.meanings.contains(&Meaning::Environment);
        if self.has_query || beside_environment {
            self.result.text = self.queries.join("\n\n");
            if !outside.is_empty() {
                let beside = Attachment::new(AttachmentKind::Context).saying(outside);
                self.result.attachments.push(beside);
            }
        } else if untouched && pictures == 0 {
            whole.clone_into(&mut self.result.text);
        } else {
            outside.clone_into(&mut self.result.text);
        }
        let has_context = self.meanings.iter().any(|meaning| *meaning != Meaning::Chosen);
        self.result.is_context = self.result.text.is_empty() && has_context && self.result.images.is_empty();
        self.result
    }
}

fn is_snake_case(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.contains('_') && name.chars().all(allowed)
}
