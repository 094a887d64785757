//! What Markdown documents look like.

use backscroll_model::{Conversation, ConversationId, Named as _, Summary};
use backscroll_render::html::IndexEntry;
use backscroll_render::{Detail, Options, markdown};
use jiff::tz::TimeZone;

use crate::every_part;

fn written(conversation: &Conversation, options: &Options) -> String {
    let mut out = Vec::new();
    let picture = |_: &_| options.is_shared.then(|| "assets/ab.png".to_owned());
    markdown::conversation(conversation, options, &picture, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_conversation_with_every_part() {
    for detail in Detail::ALL.iter().copied() {
        let look = Options::alone(detail, TimeZone::UTC);
        insta::assert_snapshot!(
            format!("markdown_{}", detail.name()),
            written(&every_part::conversation(), &look)
        );
    }
}

#[test]
fn one_of_several_has_a_list_instead_of_front_matter() {
    let links = [("child-1".to_owned(), "../other place/b.md".to_owned())].into();
    let look = Options { is_shared: true, links, ..Options::alone(Detail::Normal, TimeZone::UTC) };
    let text = written(&every_part::conversation(), &look);
    assert!(text.starts_with("# Fix the login\n\n- id: 98251e54-"), "{text}");
    assert!(text.contains("Started [child-1](../other%20place/b.md).\n"), "{text}");
    assert!(text.contains("![a screen](assets/ab.png)\n"), "{text}");
}

#[test]
fn long_results_are_cut_unless_everything_is_wanted() {
    let mut conversation = every_part::conversation();
    let result: String = (1..=100).map(|line| format!("line {line}\n")).collect();
    for message in &mut conversation.messages {
        for part in &mut message.parts {
            if let backscroll_model::Part::ToolCall(call) = part {
                call.result = Some(backscroll_model::Payload::Text(result.clone()));
                call.diff = None;
            }
        }
    }
    let normal = written(&conversation, &Options::alone(Detail::Normal, TimeZone::UTC));
    assert!(
        normal.contains("line 60\n```\n\n*… 40 lines more*\n") && !normal.contains("line 61"),
        "{normal}"
    );
    assert!(written(&conversation, &Options::alone(Detail::Full, TimeZone::UTC)).contains("line 100\n"));
}

#[test]
fn an_index_links_every_conversation() {
    let entry = |id: &str, title: Option<&str>, address: &str| IndexEntry {
        address: address.to_owned(),
        summary: Summary {
            id: ConversationId::new(id),
            title: title.map(str::to_owned),
            ..every_part::summary()
        },
    };
    let mut elsewhere = entry("c", Some("Elsewhere"), "no-workspace/c.md");
    elsewhere.summary.workspace = None;
    let entries =
        [entry("a", Some("A [link](x) <b>"), "app/a.md"), entry("b", None, "app/b c.md"), elsewhere];
    let mut out = Vec::new();
    markdown::index(&entries, &TimeZone::UTC, &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
    # Conversations

    3 conversations, by workspace, latest first.

    ## box:a/app

    `/home/a/app`

    - 2026-01-19 · [A \[link\](x) \<b\>](app/a.md) · 4 messages
    - 2026-01-19 · [Untitled conversation](app/b%20c.md) · 4 messages

    ## No workspace

    - 2026-01-19 · [Elsewhere](no-workspace/c.md) · 4 messages
    ");
}
