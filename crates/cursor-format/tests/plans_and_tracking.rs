//! Plan files, and lines that are tracked by request.

use backscroll_cursor_format::plan_file::{self, plan_id};
use backscroll_cursor_format::tracking::{TrackingRow, group};
use backscroll_model::Todo;

#[test]
fn plans_have_a_name_and_todos() {
    let text = "---\nname: \"Fix: the \\\"parser\\\"\"\noverview: Make it read\n  every line\ntodos:\n  - id: one\n    content: 'Don''t lose lines'\n    status: completed\n  - id: two\n    content: Test it\n    status: pending\n    dependencies:\n      - one\nisProject: false\n---\n\n# Plan\n\n---\nbody\n";
    let plan = plan_file::read(text);
    assert_eq!(plan.name.as_deref(), Some("Fix: the \"parser\""));
    let todo = |id: &str, content: &str, status: &str| Todo {
        id: Some(id.into()),
        content: content.into(),
        status: Some(status.into()),
    };
    assert_eq!(plan.todos, [todo("one", "Don't lose lines", "completed"), todo("two", "Test it", "pending")]);
}

#[test]
fn blocks_no_todos_and_no_front_matter() {
    let plan = plan_file::read("---\r\nname: |\r\n  Two\r\n  lines\r\ntodos: []\r\n---\r\nbody");
    assert_eq!((plan.name.as_deref(), plan.todos.len()), (Some("Two lines"), 0));
    assert_eq!(plan_file::read("# Just text\n"), plan_file::Plan::default());
    assert_eq!(plan_file::read("---\nname: x\nnever closed"), plan_file::Plan::default());
}

#[test]
fn plan_files_carry_their_id() {
    assert_eq!(plan_id("fix_parser_1a2b3c4d.plan.md"), Some("1a2b3c4d"));
    assert_eq!(plan_id("fix_parser.plan.md"), None);
    assert_eq!(plan_id("fix_1a2b3c4d.md"), None);
}

#[test]
fn lines_are_grouped_by_conversation_and_request() {
    let row = |conversation: Option<&str>, request: Option<&str>, file: &str, model: Option<&str>, at| {
        TrackingRow {
            conversation_id: conversation.map(Into::into),
            request_id: request.map(Into::into),
            file_name: Some(file.into()),
            model: model.map(Into::into),
            timestamp: at,
            created_at: Some(5_000),
        }
    };
    let rows = [
        row(Some("c1"), Some("r1"), "/p/a.rs", Some("gpt-5"), Some(2_000)),
        row(Some("c1"), Some("r1"), "/p/a.rs", Some("default"), Some(1_000)),
        row(Some("c1"), Some("r1"), "/p/b.rs", Some("gpt-5"), None),
        // The first generation has no model column, some rows no request.
        row(Some("c1"), None, "/p/a.rs", None, None),
        row(None, Some("r9"), "/p/z.rs", None, None),
        row(None, None, "/p/tab.rs", None, None),
    ];
    let found = group(rows);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].conversation_id, None);
    let c1 = &found[1];
    assert_eq!(c1.files(), ["/p/a.rs", "/p/b.rs"]);
    assert_eq!((c1.requests[0].request_id.as_deref(), c1.requests[0].lines), (None, 1));
    let r1 = &c1.requests[1];
    assert_eq!((r1.lines, r1.models.as_slice()), (3, ["gpt-5".to_owned()].as_slice()));
    assert_eq!(r1.files, ["/p/a.rs", "/p/b.rs"]);
    assert_eq!(r1.first_at.unwrap().as_millisecond(), 1_000);
    assert_eq!(r1.last_at.unwrap().as_millisecond(), 5_000);
}
