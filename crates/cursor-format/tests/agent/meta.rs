//! The small records beside the blobs.

use backscroll_cursor_format::agent::{prompt_history, session_file, store_meta};
use backscroll_model::FindingKind;

use super::store::{hex, origin};

#[test]
fn the_meta_row_is_hexadecimal_or_plain() {
    let json = r#"{"agentId":"a","latestRootBlobId":"AB","name":"fix\u007f\b it\nnow","mode":"default","createdAt":1738886171756,"lastUsedModel":"gpt-5","workspacePath":"/p","blobEncryptionKey":"secret"}"#;
    for row in [json.to_owned(), hex(json.as_bytes())] {
        let meta = store_meta(row.as_bytes(), &origin("0")).value.expect("a meta row");
        assert_eq!(meta.agent_id.as_deref(), Some("a"));
        assert_eq!(meta.root_id.as_deref(), Some("ab"));
        assert_eq!(meta.title.as_deref(), Some("fix it"));
        assert_eq!(meta.workspace_path.as_deref(), Some("/p"));
        assert_eq!(meta.created_at.map(jiff::Timestamp::as_millisecond), Some(1_738_886_171_756));
        assert!(!format!("{meta:?}").contains("secret"));
    }
    for row in ["", "zz", "7b"] {
        let decoded = store_meta(row.as_bytes(), &origin("0"));
        assert_eq!(decoded.value, None);
        assert_eq!(decoded.findings[0].kind, FindingKind::Undecodable);
    }
}

#[test]
fn the_file_beside_a_store() {
    let json = r#"{"schemaVersion":1,"createdAtMs":1738886171756,"updatedAtMs":1738886171757,"hasConversation":true,"cwd":"/p","title":"New Agent"}"#;
    let file = session_file(json.as_bytes(), &origin("meta.json")).value.expect("a file");
    assert_eq!((file.cwd.as_deref(), file.title), (Some("/p"), None));
    assert!(file.created_at < file.updated_at);
}

#[test]
fn what_was_typed() {
    let history = prompt_history(br#"["one",2,"three"]"#, &origin("prompt_history.json"));
    assert_eq!(history.value, ["one", "three"]);
    assert_eq!(history.findings.len(), 1);
    assert_eq!(prompt_history(b"{}", &origin("p")).findings[0].kind, FindingKind::Undecodable);
}
