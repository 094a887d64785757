//! Markdown documents, read by a parser: stored words come back as they were, and reach nowhere else.

use backscroll_model::{Message, Part, Payload, Role, ToolCall, ToolStatus};
use backscroll_render::text::sanitise;
use backscroll_render::{Detail, markdown};
use jiff::tz::TimeZone;
use proptest::prelude::*;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::every_part::{holding, origin};

const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

fn said(role: Role, part: Part) -> Message {
    Message { parts: vec![part], ..Message::new("m", role, origin("m")) }
}

fn document(messages: Vec<Message>, detail: Detail) -> String {
    let conversation = holding(messages);
    let mut out = Vec::new();
    let options = backscroll_render::Options::alone(detail, TimeZone::UTC);
    markdown::conversation(&conversation, &options, &|_| None, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let (_, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").expect("front matter ends");
    body.to_owned()
}

/// Everything that a reader sees, without white space; HTML counts as what is written.
fn words<'a>(events: impl IntoIterator<Item = &'a Event<'a>>) -> String {
    let mut words = String::new();
    for event in events {
        if let Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) = event {
            words.extend(text.chars().filter(|c| !c.is_whitespace()));
        }
    }
    words
}

/// What a reader sees of a text that stands alone. Its tabs are said in spaces first, as `CommonMark` counts them: where a
/// tab stands before a mark of quotation, this parser does not.
fn words_alone(text: &str) -> String {
    let mut spaced = String::new();
    let mut column = 0;
    for c in sanitise(text).chars() {
        let width = if c == '\t' { 4 - column % 4 } else { 1 };
        column = if c == '\n' { 0 } else { column + width };
        if c == '\t' { spaced.push_str(&" ".repeat(width)) } else { spaced.push(c) }
    }
    words(&Parser::new_ext(&spaced, OPTIONS).collect::<Vec<_>>())
}

/// What stands below each heading of ours, headings left out.
fn sections(document: &str) -> Vec<(HeadingLevel, Vec<Event<'_>>)> {
    let mut sections: Vec<(HeadingLevel, Vec<Event<'_>>)> = Vec::new();
    let mut is_heading = false;
    for event in Parser::new_ext(document, OPTIONS) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if level <= HeadingLevel::H3 => {
                sections.push((level, Vec::new()));
                is_heading = true;
            }
            Event::End(TagEnd::Heading(level)) if level <= HeadingLevel::H3 => is_heading = false,
            event if !is_heading => sections.last_mut().expect("a title comes first").1.push(event),
            _ => {}
        }
    }
    sections
}

/// What code blocks hold.
fn code_blocks(document: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut is_code = false;
    for event in Parser::new_ext(document, OPTIONS) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => {
                blocks.push(String::new());
                is_code = true;
            }
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(text) if is_code => blocks.last_mut().unwrap().push_str(&text),
            _ => {}
        }
    }
    blocks
}

/// HTML that is not ours.
fn foreign_html(document: &str) -> Vec<String> {
    let is_ours = |html: &str| {
        matches!(html.trim(), "<details>" | "<details open>" | "</details>" | "<!-- -->")
            || (html.starts_with("<summary>") && html.trim_end().ends_with("</summary>"))
    };
    let html = Parser::new_ext(document, OPTIONS).filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(text.to_string()),
        _ => None,
    });
    html.filter(|html| !is_ours(html)).collect()
}

const AFTERWARDS: &str = "Afterwards";

/// A question, an answer and one more question.
fn talk(question: &str, answer: &str) -> String {
    let messages = vec![
        said(Role::User, Part::Text(question.to_owned())),
        said(Role::Assistant, Part::Text(answer.to_owned())),
        said(Role::User, Part::Text(AFTERWARDS.to_owned())),
    ];
    document(messages, Detail::Talk)
}

/// Whatever was said, the outline is that of the conversation, and no HTML but ours is in it.
fn stays_in_its_place(document: &str, text: &str) {
    let sections = sections(document);
    let levels: Vec<HeadingLevel> = sections.iter().map(|(level, _)| *level).collect();
    let expected = [HeadingLevel::H1, HeadingLevel::H2, HeadingLevel::H3, HeadingLevel::H2];
    assert_eq!(levels, expected, "{text:?}\n{document}");
    assert_eq!(words(&sections[3].1), "YouAfterwards", "{text:?}\n{document}");
    assert_eq!(foreign_html(document), [""; 0], "{text:?}\n{document}");
}

fn comes_back(text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let document = talk(text, text);
    stays_in_its_place(&document, text);
    let sections = sections(&document);
    let expected = words_alone(text);
    assert_eq!(words(&sections[1].1), format!("You{expected}"), "asked {text:?}\n{document}");
    assert_eq!(words(&sections[2].1), expected, "answered {text:?}\n{document}");
}

#[test]
fn words_come_back() {
    let table = [
        "a ` before <!-- `` --> a tag",
        "plain",
        "# Mine\n\n## Also\ntext",
        "Under\n===\nmore\n\nUnder #\n---\n",
        "two\nlines\n---\nx",
        "```\nnever closed",
        "~~~~rust\nnever closed\n```",
        "```<div>\n\t```",
        "- ```\n  in a list",
        "> ```\n> in a quotation\n\nafter",
        "<details>\n<summary>x</summary>\n\nswallows",
        "</details>",
        "a </details> b <b>*c*</b> <a href=\"*d*\" title='[e](f)'>",
        "<!-- never closed\n\n# x",
        "<script>\n\nalert(1)\n",
        "<![CDATA[ x",
        "- <div>\n  *x*\n  </div>\n- y",
        "1. a\n\n   <pre>\n   x\n\n   y",
        "> <div>\n> x\n\nz",
        "---\ntitle: not front matter\n---\n",
        "| a | b |\n|---|---|\n| <b>\\|</b> | `|` |",
        "\tcode\n\nmore\n\n\t\tdeep",
        "-\ta\n\n\tb\n\n\t\tc",
        "> <pre>\n\t>",
        ">\t<pre>\n>\tx\n\ty",
        "a\\\nb\\\\\nc  \nd",
        "%% hidden %% and [^1] and [!NOTE]",
        "[!NOTE]\nx",
        "a\r\nb\rc\0d\u{202e}e\u{1b}[31mf",
        "&lt;b&gt; &amp;amp; <b>&lt;</b>",
        "<x\n*y*>",
        "http://a.b/c_d_e <http://x.y> <a@b.c>",
        "<http://x.y/z_%%--> and <http://x.y/*a*%%b%%>",
        "[a](<b c> \"d\") ![e](f)",
        "* * *\n- - -\n+ x",
        "Term `a` ``b`c`` \\`d",
        "#hashtag\n#\n####### seven",
        "`1. <!--![````",
    ];
    for text in table {
        comes_back(text);
    }
}

#[test]
fn definitions_hold_for_their_own_message_alone() {
    let mine = talk("see [it] and [x][it] and [it][]\n\n[it]: <http://mine/a b> \"T \\\"q\\\"\"", "see [it]");
    stays_in_its_place(&mine, "definition");
    let links: Vec<String> = Parser::new_ext(&mine, OPTIONS)
        .filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, title, .. }) => Some(format!("{dest_url} {title}")),
            _ => None,
        })
        .collect();
    assert_eq!(links, ["http://mine/a%20b T \"q\""; 3], "{mine}");
    assert!(mine.contains("\n> \\[it]:"), "the definition is shown: {mine}");
    for text in
        ["[a]: /x\n[a]: <details>\n", "> [a]: /x 'y\nz'", "- [a]:\n  /x", "[a]: /x\n===\n", "[\nb\n]: /c"]
    {
        stays_in_its_place(&talk(text, text), text);
    }
}

#[test]
fn code_between_fences_keeps_its_tabs() {
    let text = "Before\ttab\n\n```make\nall:\n\tcc x\n```\n\n\tindented\tcode";
    let document = talk(text, text);
    let blocks = code_blocks(&document);
    assert_eq!(blocks[0], "all:\n\tcc x\n", "{document}");
    assert_eq!(blocks[1].trim_end(), "indented    code", "{document}");
    assert_eq!(blocks[2..], blocks[..2], "{document}");
}

#[test]
fn results_and_changes_come_back_as_code() {
    let output = "```\n</details>\n\n# x\n````~~~\n\t\\`<b>\n";
    let diff = "@@ -1 +1 @@\n-```\n+</details>\n";
    let shell = ToolCall {
        name: "shell".to_owned(),
        arguments: Some(Payload::from_text("{\"command\":\"</summary></details>`x`\"}".to_owned())),
        result: Some(Payload::Text(output.to_owned())),
        status: ToolStatus::Completed,
        ..ToolCall::default()
    };
    let edit =
        ToolCall { name: "</b>\n\n# edit".to_owned(), diff: Some(diff.to_owned()), ..ToolCall::default() };
    for detail in [Detail::Normal, Detail::Full] {
        let messages = vec![
            said(Role::User, Part::Text("x".to_owned())),
            said(Role::Assistant, Part::ToolCall(Box::new(shell.clone()))),
            said(Role::Assistant, Part::ToolCall(Box::new(edit.clone()))),
            said(Role::User, Part::Text(AFTERWARDS.to_owned())),
        ];
        let document = document(messages, detail);
        assert_eq!(foreign_html(&document), [""; 0], "{document}");
        let blocks = code_blocks(&document);
        assert!(blocks.iter().any(|block| block == output), "{document}");
        assert!(blocks.iter().any(|block| block == diff), "{document}");
    }
}

/// Pieces of which hostile texts are made.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "a", "b c", "\n", "\n\n", "\r", "\t", "    ", " ", "# ", "### ", "===", "---", "- ", "* ", "1. ",
    "> ", "```", "````", "~~~", "`", "``", "*", "**", "_", "~~", "<", ">", "<b>", "</b>", "<details>",
    "</details>", "<summary>", "<!--", "-->", "<script>", "<pre>\n", "<?", "<![CDATA[",
    "<a href=\"*x*\">", "<div>\n", "</div>", "[a]", "](x)", "[", "![", "|", "|---|\n", "\\", "&amp;",
    "%%", "[^1]", "[!NOTE]", "$$", "\u{e9}", "\u{0}", "http://x.y/z_", "<http://x>", "[ ] ",
];

fn pieces() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(PIECES), 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn any_words_come_back(text in pieces()) {
        comes_back(&text);
    }

    #[test]
    fn definitions_do_not_leak(before in pieces(), after in pieces()) {
        let text = format!("{before}\n\n[a]: {after}");
        stays_in_its_place(&talk(&text, &text), &text);
    }

    #[test]
    fn any_text_is_one_code_block(text in pieces()) {
        let result = Payload::Text(text.clone());
        if result.is_hollow() {
            return Ok(());
        }
        let call = ToolCall { name: "shell".to_owned(), result: Some(result), ..ToolCall::default() };
        let document = document(vec![said(Role::Assistant, Part::ToolCall(Box::new(call)))], Detail::Full);
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        let expected = format!("{}{newline}", sanitise(&text));
        prop_assert_eq!(code_blocks(&document), [expected]);
    }
}
