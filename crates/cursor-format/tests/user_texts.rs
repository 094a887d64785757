//! Wrappers around what users typed; `C…` names the conformance line that a row comes from.

use backscroll_cursor_format::user_text::{title_line, unwrap, workspace_path};
use backscroll_model::{AttachmentKind, LineRange};
use proptest::prelude::*;

#[test]
fn the_words_come_out_of_their_wrappers() {
    let table = [
        ("C034", "", ""),
        ("C035", "Just plain text", "Just plain text"),
        ("C036", "<user_query>Hello world</user_query>", "Hello world"),
        ("C037", "Prefix <user_query>Target</user_query> Suffix", "Target"),
        ("C038", "<user_query>\nLine 1\nLine 2\n</user_query>", "Line 1\nLine 2"),
        ("C039", "<user_query>Query with <b>bold</b> text</user_query>", "Query with <b>bold</b> text"),
        ("C040", "<user_query>Missing closing tag", "<user_query>Missing closing tag"),
        (
            "C073",
            "<timestamp>Tuesday, Apr 28, 2026, 4:43 PM (UTC-7)</timestamp>\n<user_query>\nFix auth bug\n</user_query>",
            "Fix auth bug",
        ),
        ("C081", "<user_query>\n<system_reminder>\ninternal only\n</system_reminder>\n</user_query>", ""),
    ];
    for (name, input, expected) in table {
        assert_eq!(unwrap(input).text, expected, "{name}");
    }
}

#[test]
fn what_was_typed_stays_as_it_was() {
    let table = [
        (
            "typed tags",
            "<user_query>what is <rules>x</rules> for?</user_query>",
            "what is <rules>x</rules> for?",
        ),
        (
            "an unknown wrapper around the query",
            "<outer_part>\n<user_query>mine</user_query>\n</outer_part>",
            "mine",
        ),
        ("two queries", "<user_query>\none\n</user_query>\n<user_query>\ntwo\n</user_query>", "one\n\ntwo"),
        (
            "a tag typed in a query",
            "<user_query>\nwhy <user_query> here?\n</user_query>",
            "why <user_query> here?",
        ),
        (
            "a query inside an attached file",
            "<attached_files>\n<user_query>not mine</user_query>\n</attached_files>\nmine",
            "mine",
        ),
        ("code", "if a < b && c > d { Vec<String> }", "if a < b && c > d { Vec<String> }"),
        ("an unknown tag alone is typed", "<my_tag>x</my_tag>", "<my_tag>x</my_tag>"),
        ("spaces", "<user_query>\n  indented \n</user_query>", "  indented "),
    ];
    for (name, input, expected) in table {
        assert_eq!(unwrap(input).text, expected, "{name}");
    }
}

#[test]
fn context_is_distinguished_from_words() {
    let table = [
        ("C041", "", false),
        ("C042", "Hello", false),
        ("C043", "<user_info>OS: Mac</user_info><user_query>Hi</user_query>", false),
        ("C044", "<user_info>OS: Mac</user_info>Rules...", true),
        ("C045", "<project_layout>Files...</project_layout>", true),
        ("C046", "<git_status>Clean</git_status>", true),
        ("C074", "<user_info>\nuser metadata\n</user_info>", true),
        ("C075", "<system_reminder>\ninternal only\n</system_reminder>", true),
        ("C076", "<agent_transcripts>\nsummary\n</agent_transcripts>", true),
        ("C077", "<rules>\nworkspace rules\n</rules>", true),
        ("C078", "<git_status>\nclean\n</git_status>", true),
        ("C079", "<system_reminder_extra>\nuser text\n</system_reminder_extra>", false),
        ("C080", "Ship the dashboard refactor", false),
        ("C081", "<user_query>\n<system_reminder>\ninternal only\n</system_reminder>\n</user_query>", true),
        ("words on a line of their own", "<user_info>OS: Mac</user_info>\n\nfix it", false),
        ("words beside status", "<git_status>Clean</git_status>\nfix it", false),
    ];
    for (name, input, expected) in table {
        assert_eq!(unwrap(input).is_context, expected, "{name}");
    }
}

/// Shape 17: some builds write the prompt behind the environment, without a query.
#[test]
fn words_below_user_info_are_the_users() {
    let user = unwrap("<user_info>\nOS Version: linux\n</user_info>\n\nWhich lamps\nstand here?\n");
    assert_eq!((user.text.as_str(), user.is_context), ("Which lamps\nstand here?", false));
    assert_eq!(user.attachments.len(), 1);
    assert_eq!(user.attachments[0].title.as_deref(), Some("user_info"));
    // A query is what was typed, whatever stands beside it.
    let user = unwrap("<user_info>\nx\n</user_info>\nnote\n<user_query>\nask\n</user_query>\n");
    assert_eq!(user.text, "ask");
}

#[test]
fn what_stands_for_a_file_is_an_attachment() {
    let user = unwrap("[File: notes.pdf]\n[Image]\n<user_query>\nread it\n</user_query>");
    assert_eq!((user.text.as_str(), user.images.len()), ("read it", 1));
    let file = &user.attachments[0];
    assert_eq!((file.kind, file.path.as_deref()), (AttachmentKind::File, Some("notes.pdf")));
}

#[test]
fn attachments_keep_what_stood_around_the_words() {
    let user = unwrap(
        "<attached_files>\n\n<code_selection path=\"/p/a.rs\" lines=\"3-9\">\nfn a() {}\n</code_selection>\n\n<terminal_selection>\n$ ls\n</terminal_selection>\n</attached_files>\n<git_diff_from_branch_to_main>\n+x\n</git_diff_from_branch_to_main>\n<some_new_thing>\nwhat\n</some_new_thing>\nloose\n<user_query>\ndo it\n</user_query>",
    );
    let shown: Vec<_> = user
        .attachments
        .iter()
        .map(|one| (one.kind, one.title.as_deref(), one.path.as_deref(), one.text.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            (AttachmentKind::Selection, Some("code_selection"), Some("/p/a.rs"), Some("fn a() {}")),
            (AttachmentKind::Terminal, Some("terminal_selection"), None, Some("$ ls")),
            (AttachmentKind::Diff, Some("git_diff_from_branch_to_main"), None, Some("+x")),
            (AttachmentKind::Context, Some("some_new_thing"), None, Some("what")),
            (AttachmentKind::Context, None, None, Some("loose")),
        ]
    );
    assert_eq!(user.attachments[0].lines, Some(LineRange { first: 3, last: 9 }));
    assert_eq!(user.text, "do it");
}

#[test]
fn pictures_are_pictures() {
    let user = unwrap(
        "[Image]\n<image_files>\nThe following images were provided:\n1. /home/u/assets/a-b.png\n2. C:\\x\\c.JPG\n</image_files>\n<user_query>\nlook\n</user_query>",
    );
    let shown: Vec<_> = user.images.iter().map(|i| (i.path.as_deref(), i.media_type.as_deref())).collect();
    assert_eq!(
        shown,
        [(Some("/home/u/assets/a-b.png"), Some("image/png")), (Some("C:\\x\\c.JPG"), Some("image/jpeg"))]
    );
    assert_eq!(user.text, "look");
    assert_eq!(user.attachments[0].text.as_deref(), Some("The following images were provided:"));
    assert_eq!(unwrap("[Image]\nwhat is this?").images.len(), 1);
}

#[test]
fn titles_are_one_line_without_tags() {
    let table = [
        ("C047", "<system>...</system><user_query>Hello</user_query>", Some("Hello")),
        ("C048", "<tag>Content</tag> with <other>tags</other>", Some("Content with tags")),
        ("C049", "<outer>Outer <inner>Inner</inner></outer>", Some("Outer Inner")),
        ("C050", "<span class=\"red\">Red</span> text", Some("Red text")),
        ("generics", "\n\n  use Vec<String>\nmore", Some("use Vec<String>")),
        ("control", "a\u{8}b\tc", Some("ab c")),
        ("context", "<user_info>x</user_info>", None),
        ("nothing", " \n ", None),
    ];
    for (name, input, expected) in table {
        assert_eq!(title_line(input).as_deref(), expected, "{name}");
    }
    assert_eq!(title_line(&"ü".repeat(500)).unwrap().chars().count(), 120);
}

#[test]
fn the_workspace_stands_in_user_info() {
    let text =
        "<user_info>\nOS Version: linux\n\nWorkspace Path: /home/u/my proj\n\nShell: bash\n</user_info>";
    assert_eq!(workspace_path(text).as_deref(), Some("/home/u/my proj"));
    assert_eq!(workspace_path("Workspace Path: /x"), None);
    for (sentences, path) in [
        ("The absolute path of the user's workspace is /home/u/my.proj.", Some("/home/u/my.proj")),
        (
            "The user's OS version is linux 6. The absolute path of the user's workspace is /h/x. The user's shell is bash.",
            Some("/h/x"),
        ),
        ("The absolute path of the user's workspace is .", None),
    ] {
        let text = format!("<user_info>\n{sentences}\n</user_info>");
        assert_eq!(workspace_path(&text).as_deref(), path, "{sentences}");
    }
}

/// Pieces out of which texts with all kinds of broken wrappers are made.
const PIECES: [&str; 14] = [
    "<user_query>",
    "</user_query>",
    "<timestamp>",
    "</timestamp>",
    "<user_info>",
    "</user_info>",
    "<attached_files>",
    "</attached_files>",
    "<code_selection path=\"/a\" lines=\"1-2\">",
    "</code_selection>",
    "[Image]",
    "<image_files>",
    "</image_files>",
    "<x_y>",
];

proptest! {
    #[test]
    fn no_word_is_lost(picks in prop::collection::vec((0..PIECES.len() + 1, "[a-zé]{1,6}"), 0..24)) {
        let mut text = String::new();
        for (pick, word) in &picks {
            text.push_str(PIECES.get(*pick).copied().unwrap_or(word));
            text.push('\n');
        }
        let user = unwrap(&text);
        let shown = format!("{user:?}");
        for (_, word) in picks.iter().filter(|(pick, _)| *pick == PIECES.len()) {
            prop_assert!(shown.contains(word.as_str()), "{word} is lost in {shown}");
        }
    }

    #[test]
    fn anything_goes(text in ".{0,200}") {
        let user = unwrap(&text);
        let _ = title_line(&text);
        if !text.contains('<') && !text.contains("[Image]") {
            prop_assert_eq!(user.text, text);
        }
    }
}
