//! Stored text stays text: whatever stands in whichever field, a page has the elements and attributes that we gave it.

use std::path::Path;

use backscroll_model::{
    Attachment, AttachmentKind, Attribution, Code, Conversation, ConversationId, Facts, Finding, FindingKind,
    Image, Layer, Message, MessageId, Origin, Part, Payload, Role, Summary, Surface, Todo, ToolCall,
    ToolStatus, Workspace,
};
use backscroll_render::Detail;
use backscroll_render::html::{IndexEntry, SCRIPT, STYLE, index_page};
use backscroll_render::text::one_line;
use jiff::tz::TimeZone;
use proptest::prelude::*;

use crate::html::page;
use crate::html_parsed::{Element, Parsed, parsed};

/// What has broken pages before, or might.
const CORPUS: &[&str] = &[
    "<script>alert(1)</script>",
    "\"><script>alert(1)</script>",
    "'><img src=x onerror=alert(1)>",
    "</title><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</script><script>alert(1)",
    "</code></pre><svg onload=alert(1)>",
    "</details></article></main>",
    "--><!-- <!--",
    "<![CDATA[<b>]]>",
    "\" onclick=\"alert(1)",
    "' style='color:red",
    "javascript:alert(1)",
    "data:text/html,<script>x</script>",
    "<a href=javascript:alert(1)>x</a>",
    "<iframe srcdoc=x></iframe>",
    "<base href=//example.invalid>",
    "<form action=//example.invalid>",
    "<meta http-equiv=refresh content=0>",
    "&lt;b&gt; &amp; &#x3c;script&#x3e;",
    "<hr data-block=\"0\">",
    "\u{0}\u{1b}[31m\u{202e}\u{feff}<b>",
    "${alert(1)} {{7*7}} <%= 1 %>",
];

/// Markdown that tries harder.
const MARKDOWN: &[&str] = &[
    "[x](javascript:alert(1)) [x](JaVaScRiPt:alert(1)) [x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=) ![x](javascript:alert(1))",
    "[x](https://example.invalid/\"onmouseover=\"alert(1)) <https://example.invalid/\"x>",
    "[x]( java\tscript:alert(1) )\n\n[y]: javascript:alert(1)\n[y]",
    "![\" onerror=\"alert(1)](x) ![<script>](https://example.invalid/\"><script>)",
    "```\"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```",
    "```rust onload=alert(1)\n\"</span><script>\"\n```\n~~~x\" class=\"message\n~~~",
    "```1:2:\"><img src=x onerror=alert(1)>\nx\n```",
    "<details open ontoggle=alert(1)><summary>x</summary></details>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<div id=\"m1\" class=\"message\" style=\"position:fixed\">x</div>",
    "# <script>alert(1)</script> {#m1 .message onclick=alert(1)}",
    "| <script> | \" |\n|---|---|\n| </td></table><script>alert(1)</script> | x |",
    "- [x] <input autofocus onfocus=alert(1)>",
    "<mailto:x@example.invalid?body=<script>> <javascript:alert(1)>",
    "text[^1]\n\n[^1]: <script>alert(1)</script>",
];

/// What Markdown may become, besides what pages are made of anyway.
const ATTRIBUTES: &[&str] = &[
    "alt",
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "aria-live",
    "autocomplete",
    "charset",
    "class",
    "content",
    "data-copy",
    "data-kinds",
    "data-role",
    "data-status",
    "data-toggle",
    "datetime",
    "href",
    "http-equiv",
    "id",
    "lang",
    "loading",
    "method",
    "name",
    "open",
    "placeholder",
    "popover",
    "popovertarget",
    "rel",
    "role",
    "spellcheck",
    "src",
    "start",
    "tabindex",
    "title",
    "type",
    "value",
];

fn origin(text: &str) -> Origin {
    Origin::new(Layer::IdeGlobal, Path::new(text), text)
}

fn payload(text: &str) -> Payload {
    let fields = serde_json::json!({ "path": text, text: text, "nested": { text: [text] } });
    Payload::from_text(fields.to_string())
}

/// A conversation that says `text` in every field, and `markdown` where Markdown is meant.
fn saying(text: &str, markdown: &str) -> Conversation {
    let owned = || text.to_owned();
    let some = || Some(owned());
    let id = ConversationId::new(text);
    let todos = vec![Todo { id: some(), content: owned(), status: some() }];
    let summary = Summary {
        title: some(),
        workspace: Some(Workspace { path: owned(), uri: some(), remote: some(), by: Attribution::Header }),
        mode: some(),
        models: vec![owned()],
        parent: Some(id.clone()),
        children: vec![id.clone()],
        ..Summary::new(id, Surface::Ide, origin(text))
    };
    let facts = Facts {
        branch: some(),
        pull_requests: vec![owned()],
        todos: todos.clone(),
        files: vec![owned()],
        draft: some(),
        plans: vec![owned()],
        ..Facts::default()
    };
    let message = |role, parts| Message {
        id: MessageId::new(text),
        model: some(),
        request_id: some(),
        also: vec![origin(text)],
        parts,
        ..Message::new(text, role, origin(text))
    };
    let said = vec![Part::Text(markdown.to_owned())];
    let mut conversation = Conversation::new(summary);
    conversation.facts = facts;
    conversation.messages = vec![
        message(Role::User, [said.clone(), beside(text)].concat()),
        message(Role::Assistant, answers(text, markdown, todos)),
        message(Role::System, said.clone()),
        message(Role::Tool, said.clone()),
    ];
    conversation.orphans = vec![message(Role::User, said)];
    conversation.findings = vec![Finding::new(FindingKind::Unknown, origin(text), text)];
    conversation
}

fn beside(text: &str) -> Vec<Part> {
    let attached =
        |kind| Part::Attachment(Box::new(Attachment::new(kind).at(text).titled(text).saying(text)));
    let image = Image {
        path: Some(text.to_owned()),
        media_type: Some(text.to_owned()),
        data: Some(text.to_owned()),
        description: Some(text.to_owned()),
    };
    vec![attached(AttachmentKind::File), attached(AttachmentKind::Link), Part::Image(Box::new(image))]
}

fn answers(text: &str, markdown: &str, todos: Vec<Todo>) -> Vec<Part> {
    let owned = || text.to_owned();
    let some = || Some(owned());
    let call = |name: &str, diff: Option<String>| {
        Part::ToolCall(Box::new(ToolCall {
            id: some(),
            name: name.to_owned(),
            raw_name: owned(),
            arguments: Some(payload(text)),
            result: Some(payload(text)),
            error: some(),
            status: ToolStatus::Error,
            decision: some(),
            diff,
            child: some(),
            ..ToolCall::default()
        }))
    };
    let diff = format!("--- a/{text}\n+++ b/{text}\n@@ -1,2 +1,2 @@\n-{text}\n+{text}\n {text}\n");
    let code = |diff| {
        Part::Code(Box::new(Code { path: some(), language: some(), text: owned(), status: some(), diff }))
    };
    vec![
        Part::Thinking { text: markdown.to_owned(), duration_ms: Some(1) },
        Part::Text(markdown.to_owned()),
        call(text, None),
        call("read", None),
        call("shell", None),
        call("edit", Some(diff.clone())),
        code(None),
        code(Some(diff)),
        Part::Summary(markdown.to_owned()),
        Part::Error(owned()),
        Part::Todos(todos),
    ]
}

/// `text` between signs that make it neither empty nor a command of Markdown, always about equally long.
fn framed(text: &str) -> String {
    let room = 30_usize.saturating_sub(one_line(text).chars().count());
    format!("x{text}{}x", "w".repeat(room))
}

/// The elements with what is ours of their attributes; colours of code left out, for they follow the text.
fn skeleton(parsed: &Parsed) -> Vec<String> {
    let is_colour = |element: &&Element| {
        element.name == "span" && element.attribute("class").is_some_and(|class| class.len() == 1)
    };
    let elements = parsed.elements.iter().filter(|element| !is_colour(element));
    let told = elements.map(|element| {
        let attributes = element.attributes.iter().map(|(name, value)| match name.as_str() {
            "title" | "alt" => name.clone(),
            _ => format!("{name}={value}"),
        });
        format!(
            "{} {}",
            element.within.len(),
            [element.name.clone()].into_iter().chain(attributes).collect::<Vec<_>>().join(" ")
        )
    });
    told.collect()
}

fn words(parsed: &Parsed) -> String {
    one_line(&parsed.text)
}

fn check_plain(text: &str) -> Result<(), TestCaseError> {
    let (harmless, hostile) = (framed(""), framed(text));
    let before = parsed(&page(&saying(&harmless, "Words."), Detail::Full));
    let after = parsed(&page(&saying(&hostile, "Words."), Detail::Full));
    prop_assert_eq!(&after.errors, &Vec::<String>::new(), "{:?}", text);
    let (kept, made) = (skeleton(&before), skeleton(&after));
    let differs = kept.iter().zip(&made).find(|(before, after)| before != after);
    prop_assert!(differs.is_none() && kept.len() == made.len(), "{:?} makes {:?}", text, differs);
    // Inside of lists and objects it stands as JSON spells it.
    let escaped = serde_json::Value::from(hostile.as_str()).to_string();
    let (plain, escaped) = (one_line(&hostile), one_line(escaped.trim_matches('"')));
    let times = |text: &str| words(&after).matches(text).count();
    let seen = times(&plain) + if escaped == plain { 0 } else { times(&escaped) };
    let expected = words(&before).matches(&harmless).count();
    prop_assert!(seen >= expected && expected > 50, "{} of {} times: {:?}", seen, expected, text);
    Ok(())
}

fn check_markdown(markdown: &str) -> Result<(), TestCaseError> {
    let html = page(&saying("words", markdown), Detail::Full);
    let parsed = parsed(&html);
    prop_assert_eq!(&parsed.errors, &Vec::<String>::new(), "{:?}", markdown);
    prop_assert_eq!(parsed.elements.iter().filter(|e| e.name == "script").count(), 1);
    prop_assert_eq!(parsed.elements.iter().filter(|e| e.name == "style").count(), 1);
    prop_assert!(html.contains(STYLE) && html.contains(SCRIPT));
    let mut ids: Vec<_> = parsed.elements.iter().filter_map(|e| e.attribute("id")).collect();
    let number = ids.len();
    ids.sort_unstable();
    ids.dedup();
    prop_assert_eq!(ids.len(), number, "no id twice");
    for element in &parsed.elements {
        let name = element.name.as_str();
        let is_foreign =
            ["iframe", "object", "embed", "svg", "math", "base", "link", "textarea", "audio", "video"];
        prop_assert!(!is_foreign.contains(&name), "{:?} in {:?}", element, markdown);
        prop_assert!(name != "img" && (name != "form" || element.within.contains(&"dialog".to_owned())));
        for (attribute, value) in &element.attributes {
            prop_assert!(ATTRIBUTES.contains(&attribute.as_str()), "{} of {:?}", attribute, element);
            let is_ours = value.starts_with("#m") || value.starts_with("#o") || value == "#conversation";
            let is_web = ["http://", "https://", "mailto:"]
                .iter()
                .any(|scheme| value.to_ascii_lowercase().starts_with(scheme));
            prop_assert!(attribute != "href" || is_ours || is_web, "{:?}", element);
            let rel = element.attribute("rel");
            prop_assert!(
                attribute != "href" || is_ours || rel == Some("noopener noreferrer"),
                "{:?}",
                element
            );
        }
    }
    Ok(())
}

#[test]
fn no_field_breaks_the_page() {
    for text in CORPUS {
        check_plain(text).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn no_markdown_breaks_the_page() {
    for text in CORPUS.iter().chain(MARKDOWN) {
        check_markdown(text).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn no_title_breaks_the_list() {
    let listed = |text: &str| {
        let entry = IndexEntry { address: "a.html".to_owned(), summary: saying(text, "").summary };
        let mut out = Vec::new();
        index_page(&[entry], &TimeZone::UTC, &mut out).expect("a vector takes everything");
        parsed(&String::from_utf8(out).expect("HTML is UTF-8"))
    };
    let before = skeleton(&listed(&framed("")));
    for text in CORPUS {
        let after = listed(&framed(text));
        assert_eq!(skeleton(&after), before, "{text:?}");
        assert!(words(&after).contains(&one_line(&framed(text))), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_in_any_field_stays_text(text in "(\\PC|[<>&\"'`=/ ]|[\u{0}-\u{9}]){0,12}") {
        check_plain(&text)?;
    }

    #[test]
    fn any_markdown_stays_harmless(
        text in "(<[a-z/!]{0,6}|[\"'>`*_#|~=&;:\\[\\]()!-]|\n|    |```|javascript:|https://a|on[a-z]{2,5}=|[a-z ]{1,5}|\\PC){0,40}",
    ) {
        check_markdown(&text)?;
    }
}
