//! Facts about whole conversations that other tools test, by their numbers in the conformance list.

use backscroll_cursor_format::{ide, uri};
use backscroll_model::{AtIs, Attribution, ConversationId, Flag};
use serde_json::{Value, json};

use super::store::{conversation, listing, origin};

fn listed(record: &Value) -> ide::Evidence {
    let bytes = record.to_string();
    ide::index_entry(&ConversationId::new("c"), bytes.as_bytes(), &origin("k")).value.unwrap().evidence
}

/// C008, with our own end: where nothing names a conversation, the title is none, not "Untitled Chat".
#[test]
fn c008_the_name_then_the_subtitle_then_the_first_line() {
    let words = json!([{"bubbleId": "b", "type": 1, "text": "<user_query>\nfix it\nnow\n</user_query>"}]);
    let table = [
        (json!({"name": "My Chat Title", "subtitle": "My Subtitle"}), Some("My Chat Title")),
        (json!({"subtitle": "My Subtitle", "conversation": words}), Some("My Subtitle")),
        (json!({"name": "New Agent", "conversation": words}), Some("fix it")),
        (json!({"name": "  ", "conversation": words}), Some("fix it")),
        (json!({}), None),
    ];
    for (record, expected) in table {
        assert_eq!(listed(&record).summary.title.as_deref(), expected, "{record}");
        assert_eq!(conversation(&record, &[]).summary.title.as_deref(), expected, "{record}");
    }
}

#[test]
fn a_conversation_without_a_name_says_which_bubble_has_its_first_words() {
    let headers = json!([{"bubbleId": "a", "type": 2}, {"bubbleId": "u", "type": 1}]);
    let bytes = json!({"fullConversationHeadersOnly": headers}).to_string();
    let decoded = ide::index_entry(&ConversationId::new("c"), bytes.as_bytes(), &origin("k")).value.unwrap();
    assert_eq!(decoded.user_bubbles, ["u"]);
    let bubble = json!({"type": 1, "text": "", "richText": "# a title\nmore"}).to_string();
    assert_eq!(
        ide::FirstLine::from_bytes(bubble.as_bytes()),
        ide::FirstLine::ByPerson(Some("# a title".to_owned()))
    );
}

#[test]
fn c011_relevant_files_are_united() {
    let decoded = listing(&[
        json!({"bubbleId": "a", "type": 1, "relevantFiles": ["/path/to/file1.py", "/path/to/file2.ts"]}),
        json!({"bubbleId": "b", "type": 2, "relevantFiles": ["/path/to/file1.py"]}),
    ]);
    assert_eq!(decoded.facts.files, ["/path/to/file1.py", "/path/to/file2.ts"]);
}

#[test]
fn c012_times_are_milliseconds_or_iso() {
    let record = json!({
        "createdAt": 1_704_067_200_000_i64, "lastUpdatedAt": 1_704_067_800_000_i64,
        "conversation": [{"bubbleId": "b", "type": 1, "text": "x", "createdAt": "2024-01-01T00:00:00Z"}],
    });
    let decoded = conversation(&record, &[]);
    let shown = |at: Option<jiff::Timestamp>| at.unwrap().to_string();
    assert_eq!(shown(decoded.summary.created_at), "2024-01-01T00:00:00Z");
    assert_eq!(shown(decoded.summary.updated_at), "2024-01-01T00:10:00Z");
    assert_eq!(
        (shown(decoded.messages[0].at.at), decoded.messages[0].at.is),
        ("2024-01-01T00:00:00Z".into(), AtIs::Exact)
    );
}

/// C014 as judged: `unifiedMode` is the mode, `forceMode` only where there is no other.
#[test]
fn c014_modes_are_kept_as_stored() {
    for mode in ["chat", "edit", "agent", "composer", "plan", "debug", "ask"] {
        let both = listed(&json!({"unifiedMode": mode, "forceMode": "edit"}));
        let forced = listed(&json!({"forceMode": mode}));
        assert_eq!((both.summary.mode.as_deref(), forced.summary.mode.as_deref()), (Some(mode), Some(mode)));
    }
    assert_eq!(listed(&json!({"unifiedMode": 5})).summary.mode.as_deref(), Some("plan"));
}

#[test]
fn c015_new_files_are_texts_or_uris() {
    for files in
        [json!(["file.py"]), json!([{"uri": {"path": "file.py"}}]), json!([{"uri": {"fsPath": "file.py"}}])]
    {
        let decoded = conversation(&json!({"newlyCreatedFiles": files}), &[]);
        assert_eq!(decoded.facts.files, ["file.py"], "{files}");
    }
}

#[test]
fn c016_a_conversation_without_messages_is_empty() {
    let record = json!({
        "_v": 10, "text": "", "fullConversationHeadersOnly": [], "conversationMap": {}, "status": "none",
    });
    assert!(listed(&record).summary.flags.contains(&Flag::Empty));
    let decoded = conversation(&record, &[]);
    assert!(decoded.summary.flags.contains(&Flag::Empty) && decoded.facts.draft.is_none());
}

#[test]
fn c068_a_time_that_counts_from_a_processs_start_is_none() {
    let timing = |start: f64| json!({"bubbleId": "b", "type": 2, "text": "x", "timingInfo": {"clientStartTime": start}});
    assert_eq!(listing(&[timing(1_912_345.6)]).messages[0].at.is, AtIs::Unknown);
    assert_eq!(listing(&[timing(1_733_000_000_000.0)]).messages[0].at.is, AtIs::Exact);
}

#[test]
fn c069_every_branch_is_named_and_the_active_one_is_the_branch() {
    let record = json!({
        "createdOnBranch": "feature/start",
        "branches": [{"branchName": "main"}, {"branchName": "feature/work"}],
        "prBranchName": "feature/pr",
        "activeBranch": {"branchName": "feature/final"},
    });
    let facts = conversation(&record, &[]).facts;
    assert_eq!(facts.branch.as_deref(), Some("feature/final"));
    assert_eq!(facts.branches, ["feature/start", "main", "feature/work", "feature/pr", "feature/final"]);
    let latest = json!({"branches": [
        {"branchName": "new", "lastInteractionAt": 1_704_067_800_000_i64},
        {"branchName": "old", "lastInteractionAt": 1_704_067_200_000_i64}]});
    assert_eq!(conversation(&latest, &[]).facts.branch.as_deref(), Some("new"));
}

#[test]
fn c070_pull_requests_are_named_once() {
    let record = json!({"pullRequests": [
        {"number": 42, "url": "https://github.com/acme/app/pull/42"},
        {"prNumber": 42, "prUrl": "https://github.com/acme/app/pull/42"},
        {"prUrl": "https://github.com/acme/another/pull/99"},
        {"number": 7},
    ]});
    let named = conversation(&record, &[]).facts.pull_requests;
    assert_eq!(
        named,
        ["https://github.com/acme/app/pull/42", "https://github.com/acme/another/pull/99", "#7"]
    );
}

#[test]
fn c072_the_last_model_of_a_list_is_the_model() {
    let names = "gpt-5.2-high,claude-4.6-opus-high-thinking,claude-4.6-opus-high-thinking";
    let evidence = listed(&json!({"modelConfig": {"modelName": names}}));
    assert_eq!(evidence.summary.models, ["claude-4.6-opus-high-thinking"]);
    assert!(listed(&json!({"modelConfig": {"modelName": "default"}})).summary.models.is_empty());
}

#[test]
fn c124_c125_workspaces_are_paths_in_their_own_spelling() {
    let table = [
        ("file:///a/b%20c", "/a/b c", None),
        ("file:///a/p.code-workspace", "/a/p.code-workspace", None),
        (
            "vscode-remote://ssh-remote%2B7b22686f73744e616d65223a22636f7265227d/home/user/repos/remote-app",
            "/home/user/repos/remote-app",
            Some("ssh-remote+core"),
        ),
        ("vscode-remote://ssh-remote%2Bhost/home/u", "/home/u", Some("ssh-remote+host")),
    ];
    for (text, path, remote) in table {
        let place = uri::place(text).unwrap();
        assert_eq!((place.path.as_str(), place.remote.as_deref()), (path, remote), "{text}");
        let identifier = json!({"workspaceIdentifier": {"id": "w", "uri": {"external": text}}});
        let evidence = listed(&identifier);
        let workspace = evidence.summary.workspace.unwrap();
        assert_eq!((workspace.path.as_str(), workspace.remote.as_deref()), (path, remote), "{text}");
        assert_eq!((evidence.workspace_id.as_deref(), workspace.by), (Some("w"), Attribution::Record));
    }
}
