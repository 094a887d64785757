//! What workspaces and indexes say, by their numbers in the conformance list where other tools test it.

use backscroll_cursor_format::ide::{self, keys};
use backscroll_model::{Attribution, ConversationId, FindingKind, Flag, Role};
use serde_json::json;

use super::store::origin;

fn ids(ids: &[ConversationId]) -> Vec<&str> {
    ids.iter().map(ConversationId::as_str).collect()
}

#[test]
fn c003_nothing_in_the_table_is_nothing_read() {
    let (found, findings) = ide::prompts(ConversationId::new("p"), None, None, &origin(keys::PROMPTS));
    assert!(found.is_none() && findings.is_empty());
}

#[test]
fn c004_prompts_and_heads_are_read() {
    let prompts = json!([{"text": "test prompt", "commandType": 4}]).to_string();
    let at = origin(keys::PROMPTS);
    let (found, findings) = ide::prompts(ConversationId::new("p"), Some(prompts.as_bytes()), None, &at);
    let found = found.unwrap();
    assert_eq!((found.messages.len(), found.messages[0].role), (1, Role::User));
    assert_eq!((found.summary.title.as_deref(), findings), (Some("test prompt"), vec![]));
    let composers = json!({"allComposers": [{"composerId": "test-123"}]}).to_string();
    let index = ide::workspace_index(composers.as_bytes(), &origin(keys::WORKSPACE_COMPOSERS)).value;
    assert_eq!(index.heads[0].evidence.summary.id.as_str(), "test-123");
}

#[test]
fn c005_the_head_of_a_workspace_names_its_conversation() {
    let head = json!({"composerId": "composer-abc-123", "name": "Test Chat Name", "subtitle": "Test Subtitle",
        "createdAt": 1_734_000_000_000_i64, "unifiedMode": "chat", "forceMode": "chat"});
    let head = ide::head(&head.to_string(), &origin("k"), Attribution::WorkspaceList).unwrap();
    assert_eq!(head.evidence.summary.title.as_deref(), Some("Test Chat Name"));
    assert_eq!(head.evidence.subtitle.as_deref(), Some("Test Subtitle"));
    assert!(!head.holds_messages);
}

#[test]
fn c030_broken_prompts_are_reported_and_the_others_kept() {
    let read = |prompts: &str, generations: &str| {
        let at = origin(keys::PROMPTS);
        ide::prompts(ConversationId::new("p"), Some(prompts.as_bytes()), Some(generations.as_bytes()), &at)
    };
    let good = r#"[{"text":"one"},{"text":"two"}]"#;
    let (found, findings) = read(good, "{bad");
    assert_eq!((found.unwrap().messages.len(), findings[0].kind), (2, FindingKind::Undecodable));
    assert!(read(r#"{"a":1}"#, "[]").0.is_none());
    let (found, findings) = read(r#"[5,null,{"text":"kept"},{"text":7}]"#, "[1]");
    assert_eq!((found.as_ref().unwrap().coverage.read, findings.len()), (1, 0));
    assert!(found.unwrap().coverage.adds_up());
}

#[test]
fn c063_heads_name_subagents() {
    let heads = json!({"allComposers": [
        {"composerId": "parent"},
        {"composerId": "child", "subagentInfo": {"parentComposerId": "parent", "toolCallId": "call-2"}},
        {"composerId": "other", "isSubagent": true},
        {"composerId": "task-call_1\nfc_2"},
        {"composerId": "attempt", "subagentInfo": {"parentComposerId": "parent"}, "isBestOfNSubcomposer": true},
        {"name": "no id"},
    ]});
    let decoded = ide::heads(heads.to_string().as_bytes(), &origin(keys::HEADERS), Attribution::Header);
    let found = |id: &str| {
        &decoded.value.iter().find(|h| h.evidence.summary.id.as_str() == id).unwrap().evidence.summary
    };
    let is_subagent = |id: &str| found(id).flags.contains(&Flag::Subagent);
    assert!(is_subagent("child") && is_subagent("other") && is_subagent("task-call_1\nfc_2"));
    assert!(!is_subagent("parent") && !is_subagent("attempt"));
    assert_eq!(found("child").parent, Some(ConversationId::new("parent")));
    assert!(found("attempt").flags.contains(&Flag::BestOfN));
    assert_eq!((decoded.findings.len(), decoded.findings[0].kind), (1, FindingKind::Damaged));
}

#[test]
fn c127_a_workspace_knows_its_conversations_by_heads_selection_and_panes() {
    let composers = json!({
        "allComposers": [{"composerId": "headed"}],
        "selectedComposerIds": ["selected"], "lastFocusedComposerIds": ["focused", 7], "selectedComposerId": "one",
    });
    let index = ide::workspace_index(composers.to_string().as_bytes(), &origin("k")).value;
    assert_eq!(index.heads.len(), 1);
    assert_eq!(ids(&index.opened), ["selected", "focused", "one"]);
    let panes = json!({
        "workbench.panel.aichat.view.a1": {"collapsed": false}, "workbench.panel.aichat.view.b2": {}, "other": {},
    });
    assert_eq!(ids(&ide::pane_ids(panes.to_string().as_bytes())), ["a1", "b2"]);
    // The panes' hidden twins are lists: they name none.
    assert!(ide::pane_ids(br#"[{"id":"x","isHidden":true}]"#).is_empty());
}

#[test]
fn c127_headers_and_projects_say_where_a_conversation_belongs() {
    let uri = json!({"$mid": 1, "fsPath": "/w/app", "external": "file:///w/app", "path": "/w/app", "scheme": "file"});
    let head = json!({"composerId": "c", "workspaceIdentifier": {"id": "w1", "uri": uri}}).to_string();
    let evidence = ide::head(&head, &origin("k"), Attribution::Header).unwrap().evidence;
    assert_eq!(evidence.workspace_id.as_deref(), Some("w1"));
    let workspace = evidence.summary.workspace.unwrap();
    assert_eq!((workspace.path.as_str(), workspace.by), ("/w/app", Attribution::Header));
    let projects = json!([{"id": "p", "workspace": {"id": "w1", "uri": uri}}]).to_string();
    let members = json!({"c": "p", "lost": "q", "odd": 7}).to_string();
    let joined = ide::membership(projects.as_bytes(), members.as_bytes());
    assert_eq!(joined.len(), 1);
    let (id, workspace) = &joined[&ConversationId::new("c")];
    assert_eq!((id.as_deref(), workspace.as_ref().unwrap().by), (Some("w1"), Attribution::Project));
    assert!(ide::is_windowless("empty-window") && ide::is_windowless("1736506645507"));
    assert!(!ide::is_windowless("256f9d069eaad8a8732138b6766e74b2"));
}

/// C133: the value of a row of the header table is the same head.
#[test]
fn c133_the_header_tables_value_is_a_head() {
    let value = json!({"type": "head", "composerId": "c", "name": "n", "unifiedMode": "agent", "isDraft": true,
        "isArchived": true, "workspaceIdentifier": {"id": "w", "configPath": {"path": "/a/b.code-workspace"}}});
    let summary = ide::head(&value.to_string(), &origin("k"), Attribution::Header).unwrap().evidence.summary;
    assert_eq!(summary.workspace.unwrap().path, "/a/b.code-workspace");
    assert!(summary.flags.contains(&Flag::Draft) && summary.flags.contains(&Flag::Archived));
}
