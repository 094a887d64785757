//! `backscroll show`, from what is typed to what is seen.

use backscroll_cli::Exit;
use backscroll_model::{ConversationId, Finding, FindingKind};
use serde_json::Value;

use crate::memory::{finding, run, run_on_terminal, three};

#[test]
fn one_conversation_by_id_number_or_title() {
    for asked in ["bbbb", "@2", "manual"] {
        let ran = run_on_terminal(&[three()], &["show", asked, "--color", "never", "--no-pager"]);
        assert_eq!(ran.exit, Exit::Done, "{asked}: {}", ran.err);
        insta::assert_snapshot!("shown", ran.out);
    }
    let ran = run(&[three()], &["show", "bbbb", "--json"]);
    let value: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(
        (value["schema"].as_str(), value["id"].as_str()),
        (Some("backscroll.conversation/1"), Some("bbbbbbbb-2222"))
    );
}

#[test]
fn several_that_may_be_meant_are_named() {
    let ran = run(&[three()], &["show", "aaaa"]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::Usage, ""));
    insta::assert_snapshot!(ran.err);
}

#[test]
fn nothing_that_may_be_meant() {
    let ran = run(&[three()], &["show", "zzzz"]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::NothingMatched, ""));
    assert!(
        ran.err.contains("no conversation matches `zzzz`") && ran.err.contains("backscroll list"),
        "{}",
        ran.err
    );
    let ran = run(&[], &["show", "zzzz"]);
    assert_eq!(ran.exit, Exit::NothingMatched);
    assert!(ran.err.contains("looked in: /home/a"), "{}", ran.err);
}

#[test]
fn findings_matter_when_strict() {
    let mut odd = three();
    odd.fragments[0].findings.push(finding());
    let ran = run(std::slice::from_ref(&odd), &["show", "@1", "--findings"]);
    assert_eq!(ran.exit, Exit::Done);
    assert!(ran.out.contains("null-row: a row without a value"), "{}", ran.out);
    assert_eq!(run(std::slice::from_ref(&odd), &["show", "@1", "--strict"]).exit, Exit::Findings);
    assert!(run(&[odd], &["show", "@1", "--json", "--strict"]).err.contains("1 conversation with findings"));
}

#[test]
fn what_cannot_be_shown_because_its_store_cannot_be_read_is_told_by_the_exit_code() {
    let mut lost = three();
    let unreadable = Finding { kind: FindingKind::Unreadable, ..finding() };
    lost.fragments[0].findings.push(unreadable);
    assert_eq!(run(std::slice::from_ref(&lost), &["show", "@1"]).exit, Exit::Done, "something can");
    lost.fragments[0].messages.clear();
    for strict in [&["show", "@1"][..], &["show", "@1", "--strict"]] {
        assert_eq!(run(std::slice::from_ref(&lost), strict).exit, Exit::Unreadable);
    }
}

#[test]
fn a_tree_shows_what_was_started_once_even_in_a_circle() {
    let mut family = three();
    family.fragments[0].summary.children =
        vec![ConversationId::new("bbbbbbbb-2222"), ConversationId::new("gone")];
    family.fragments[1].summary.children =
        vec![ConversationId::new("aaaaaaaa-1111"), ConversationId::new("aaaaaaaa-3333")];
    let ran = run(std::slice::from_ref(&family), &["show", "aaaaaaaa-1", "--tree"]);
    insta::assert_snapshot!(ran.out);
    assert_eq!(run(&[family], &["show", "aaaaaaaa-1", "--tree", "--json"]).out.lines().count(), 3);
}
