//! Pages as they are written.

use backscroll_model::{Conversation, Image, Message, Named as _, Part, Role};
use backscroll_render::html::{self, IndexEntry, Look};
use backscroll_render::{Detail, Options, starts_heading};
use jiff::tz::TimeZone;

use crate::every_part::{self, origin};
use crate::html_parsed::parsed;

pub(crate) fn page(conversation: &Conversation, detail: Detail) -> String {
    let mut out = Vec::new();
    let look = Options::alone(detail, TimeZone::UTC);
    html::page(conversation, &look, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("HTML is UTF-8")
}

fn rendered(markdown: &str) -> String {
    html::markdown(markdown, &Look::new(&Options::alone(Detail::Normal, TimeZone::UTC))).into_string()
}

/// What differs from page to page, an element a line.
fn body(page: &str) -> String {
    let (_, main) = page.split_once("<div class=\"layout\">").expect("a layout");
    let (main, _) = main.split_once("<dialog").expect("the help");
    main.replace("><", ">\n<")
}

#[test]
fn a_conversation_with_every_part() {
    for detail in Detail::ALL.iter().copied() {
        let page = page(&every_part::conversation(), detail);
        assert_eq!(parsed(&page).errors, [""; 0], "well-formed at {}", detail.name());
        insta::assert_snapshot!(format!("page_{}", detail.name()), body(&page));
    }
}

#[test]
fn the_policy_allows_our_style_and_script_and_nothing_else() {
    let page = page(&every_part::conversation(), Detail::Normal);
    let elements = parsed(&page).elements;
    let policy = elements.iter().find(|e| e.attribute("http-equiv") == Some("Content-Security-Policy"));
    let policy = policy.and_then(|meta| meta.attribute("content")).expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; img-src data:;") && !policy.contains("unsafe"),
        "{policy}"
    );
    for (content, opening) in [(html::STYLE, "<style>"), (html::SCRIPT, "<script>")] {
        assert!(page.contains(&format!("{opening}{content}</")), "{opening} holds just ours");
        assert!(policy.contains(&html::hash_source(content)), "{policy}");
        assert!(!content.contains("</"), "nothing in it ends its element");
    }
}

#[test]
fn markdown() {
    insta::assert_snapshot!(
        "markdown_blocks",
        rendered("# One\n\n- [x] done\n- [ ] not\n\n| a | b |\n|:-:|--:|\n| 1 | 2<br>3 |\n")
    );
    insta::assert_snapshot!(
        "markdown_links",
        rendered(
            "[web](https://example.invalid/?a=\"b\"&c) [file](src/main.rs) ![picture](https://example.invalid/p.png)"
        )
    );
    insta::assert_snapshot!(
        "markdown_with_html",
        rendered("Use `<b>` or <b>bold</b>.\n\n<div>\n  *text*\n</div>\n")
    );
    insta::assert_snapshot!(
        "markdown_quoting_a_file",
        rendered("```12:14:src/a.rs\nfn a() {}\n```\n\n> quoted\n")
    );
}

#[test]
fn absurd_markdown_is_shown_as_it_stands() {
    let long = "word ".repeat(200_000);
    for text in [
        "> ".repeat(50_000),
        "* ".repeat(5_000),
        "[".repeat(50_000),
        "`".repeat(50_001),
        "<a>".repeat(20_000),
        long,
    ] {
        let html = parsed(&rendered(&text));
        assert!(html.elements.iter().all(|element| element.within.len() < 60), "not too deep for a browser");
        assert!(!html.text.is_empty());
    }
}

#[test]
fn only_pictures_become_pictures() {
    let png = "iVBORw0KGgo=";
    let table = [
        (Some("image/png"), Some(png), Some("data:image/png;base64,iVBORw0KGgo=")),
        (None, Some("data:image/png;base64,iVBORw0KGgo="), Some("data:image/png;base64,iVBORw0KGgo=")),
        (Some("image/svg+xml"), Some(png), Some("data:image/png;base64,iVBORw0KGgo=")),
        (Some("image/png"), Some("PHN2Zz48L3N2Zz4="), None),
        (Some("image/svg+xml"), Some("PHN2Zz48L3N2Zz4="), None),
        (Some("text/html"), Some("PHNjcmlwdD4="), None),
        (Some("image/png"), Some("iVBORw0KGgo=\" onerror=\"x"), None),
        (Some("image/png"), None, None),
    ];
    for (media_type, data, expected) in table {
        let image = Image {
            media_type: media_type.map(str::to_owned),
            data: data.map(str::to_owned),
            path: Some("a.png".to_owned()),
            description: None,
        };
        let html = html::part(
            &Part::Image(Box::new(image)),
            &Look::new(&Options::alone(Detail::Normal, TimeZone::UTC)),
        )
        .into_string();
        let elements = parsed(&html).elements;
        let source = elements.iter().find(|e| e.name == "img").and_then(|e| e.attribute("src"));
        assert_eq!(source, expected, "{media_type:?} {data:?}");
        assert!(html.contains("a.png"));
    }
}

#[test]
fn long_results_are_cut_unless_everything_is_wanted() {
    let mut conversation = every_part::conversation();
    let long = "a line of a log\n".repeat(5_000);
    let Part::ToolCall(call) = &mut conversation.messages[2].parts[4] else { panic!("a tool call") };
    call.result = Some(backscroll_model::Payload::from_text(long));
    let lines = |page: &str| page.matches("a line of a log").count();
    let normal = page(&conversation, Detail::Normal);
    assert_eq!(lines(&normal), 750);
    assert!(normal.contains("… 4250 more lines, not shown at this level of detail"));
    assert_eq!(lines(&page(&conversation, Detail::Full)), 5_000);
}

#[test]
fn speakers_are_named_where_they_change() {
    let said =
        |role, model: &str| Message { model: Some(model.to_owned()), ..Message::new("m", role, origin("k")) };
    let (user, one, other) = (said(Role::User, "a"), said(Role::Assistant, "a"), said(Role::Assistant, "b"));
    assert!(starts_heading(None, &one));
    assert!(starts_heading(Some(&user), &user), "every prompt");
    assert!(starts_heading(Some(&user), &one));
    assert!(starts_heading(Some(&one), &other), "another model");
    assert!(!starts_heading(Some(&one), &one));
}

#[test]
fn the_list_of_conversations() {
    let mut older = every_part::summary();
    older.created_at = None;
    older.updated_at = Some(every_part::time("2025-01-01T00:00:00Z"));
    older.title = None;
    let mut nowhere = every_part::summary();
    nowhere.workspace = None;
    let entries: Vec<_> = [older, every_part::summary(), nowhere]
        .into_iter()
        .enumerate()
        .map(|(at, summary)| IndexEntry { address: format!("app/{at}.html"), summary })
        .collect();
    let mut out = Vec::new();
    html::index_page(&entries, &TimeZone::UTC, &mut out).expect("a vector takes everything");
    let page = String::from_utf8(out).expect("HTML is UTF-8");
    assert_eq!(parsed(&page).errors, [""; 0]);
    let (_, main) = page.split_once("<main").expect("the list");
    let (main, _) = main.split_once("<script").expect("the script");
    insta::assert_snapshot!(main.replace("><", ">\n<"));
}
