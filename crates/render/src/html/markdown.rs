//! Markdown as HTML. HTML that stands in it is shown as text, for in conversations about code it nearly always is
//! text; pictures become links, since a page fetches nothing. The sanitiser has the last word.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use maud::{Markup, PreEscaped, Render, html};
use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::stored::{followable, in_a_line, shown};
use super::{Look, code};

/// Text longer than this is a log or a file, not something that someone wrote to be read.
const LONGEST: usize = 512 * 1024;

/// Deeper nesting is no writing either, and costs browsers dear.
const DEEPEST: usize = 48;

/// Marks the place of a code block while the text around it is sanitised.
const PLACE: &str = "<hr data-block=\"";

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags =
        "p h3 h4 h5 h6 ul ol li blockquote pre code em strong del a hr br table thead tbody tr th td span";
    let mut sanitiser = Builder::empty();
    sanitiser
        .tags(tags.split(' ').collect())
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href"])),
            ("ol", HashSet::from(["start"])),
            ("hr", HashSet::from(["data-block"])),
            ("span", HashSet::from(["title"])),
        ]))
        .add_allowed_classes("p", ["raw"].as_slice())
        .add_allowed_classes("span", ["nowhere"].as_slice())
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer"));
    sanitiser
});

/// `text` as rendered Markdown.
pub fn markdown(text: &str, look: &Look) -> Markup {
    let text = shown(text);
    let rendered = (text.len() <= LONGEST).then(|| Rendering::new(&text, look)).flatten();
    rendered.map_or_else(|| html! { p.raw { (text) } }, Rendering::finish)
}

/// Rendered Markdown whose code blocks stand apart.
struct Rendering {
    html: String,
    blocks: Vec<Markup>,
}

impl Rendering {
    /// `None` where the nesting is absurd.
    fn new(text: &str, look: &Look) -> Option<Self> {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let (mut events, mut blocks, mut depth) = (Vec::new(), Vec::new(), 0_usize);
        let mut open_block: Option<(String, String)> = None;
        let mut link_end = "";
        for event in Parser::new_ext(text, options) {
            match &event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > DEEPEST {
                return None;
            }
            match (event, &mut open_block) {
                (Event::Start(Tag::CodeBlock(kind)), _) => open_block = Some((tag_of(&kind), String::new())),
                (Event::End(TagEnd::CodeBlock), _) => {
                    let (tag, inside) = open_block.take().unwrap_or_default();
                    events.push(Event::Html(format!("{PLACE}{}\">\n", blocks.len()).into()));
                    blocks.push(code::fenced(&tag, &inside, look));
                }
                (Event::Text(inside), Some((_, block))) => block.push_str(&inside),
                (_, Some(_)) => {}
                (event, None) => events.push(ours(event, &mut link_end)),
            }
        }
        let mut html = String::with_capacity(text.len() * 3 / 2);
        pulldown_cmark::html::push_html(&mut html, events.into_iter());
        Some(Self { html, blocks })
    }

    /// Sanitises the text and puts the blocks back into their places.
    fn finish(self) -> Markup {
        let clean = SANITISER.clean(&self.html).to_string();
        if self.blocks.is_empty() {
            return PreEscaped(clean);
        }
        // No stored text can look like a place: in it, `<` is escaped.
        let mut pieces = clean.split(PLACE);
        let mut whole = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (number, rest) = piece.split_once("\">").unwrap_or(("", piece));
            if let Some(block) = number.parse().ok().and_then(|number: usize| self.blocks.get(number)) {
                whole.push_str(&block.0);
            }
            whole.push_str(rest);
        }
        PreEscaped(whole)
    }
}

fn tag_of(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Fenced(tag) => tag.to_string(),
        CodeBlockKind::Indented => String::new(),
    }
}

/// `event` as our pages know it. `link_end` remembers how the link that is open ends; links do not nest.
fn ours<'a>(event: Event<'a>, link_end: &mut &'static str) -> Event<'a> {
    match event {
        Event::InlineHtml(html) if is_line_break(&html) => Event::HardBreak,
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::Start(Tag::HtmlBlock) => written("<p class=\"raw\">"),
        Event::End(TagEnd::HtmlBlock) => written("</p>\n"),
        Event::Start(Tag::Heading { level, .. }) => written(&format!("<{}>", heading(level))),
        Event::End(TagEnd::Heading(level)) => written(&format!("</{}>\n", heading(level))),
        Event::Start(Tag::Table(columns)) => {
            Event::Start(Tag::Table(columns.iter().map(|_| Alignment::None).collect()))
        }
        Event::Start(Tag::Link { dest_url, .. }) => {
            let address = followable(&dest_url);
            *link_end = if address.is_some() { "</a>" } else { "</span>" };
            address.map_or_else(
                || nowhere(&dest_url),
                |address| written(&format!("<a href=\"{}\">", address.render().0)),
            )
        }
        Event::End(TagEnd::Link) => written(link_end),
        Event::Start(Tag::Image { dest_url, .. }) => nowhere(&dest_url),
        Event::End(TagEnd::Image) => written("</span>"),
        Event::TaskListMarker(is_done) => Event::Text(if is_done { "☑ " } else { "☐ " }.into()),
        Event::Start(Tag::BlockQuote(_)) => Event::Start(Tag::BlockQuote(None)),
        event => event,
    }
}

fn written(html: &str) -> Event<'static> {
    Event::InlineHtml(CowStr::from(html.to_owned()))
}

/// Words whose address cannot be followed: a hint shows it.
fn nowhere(address: &str) -> Event<'static> {
    written(&format!("<span class=\"nowhere\" title=\"{}\">", in_a_line(address, 300).render().0))
}

fn is_line_break(html: &str) -> bool {
    matches!(html.trim_matches(['<', '>']).trim_end_matches('/').trim(), "br" | "BR")
}

/// Headings of a message stand below the page's own.
fn heading(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 => "h3",
        HeadingLevel::H2 => "h4",
        HeadingLevel::H3 => "h5",
        _ => "h6",
    }
}
