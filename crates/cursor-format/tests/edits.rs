//! Diffs out of what edit tools were given.

use backscroll_cursor_format::edit_diff::{from_arguments, from_patch};
use backscroll_model::Payload;

#[test]
fn patches_become_unified_diffs() {
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@ fn main() {\n one\n-two\n+2\n\n@@\n+three\n*** Delete File: old.txt\n*** Add File: new.txt\n+hello\n*** End Patch\ntrailing";
    insta::assert_snapshot!(from_patch(patch).unwrap(), @r"
    --- src/a.rs
    +++ src/a.rs
    rename from src/a.rs
    rename to src/b.rs
    @@ -1,3 +1,3 @@ fn main() {
     one
    -two
    +2
     
    @@ -0,0 +4,1 @@
    +three
    --- old.txt
    +++ /dev/null
    --- /dev/null
    +++ new.txt
    @@ -0,0 +1,1 @@
    +hello
    ");
    assert_eq!(from_patch("no patch"), None);
}

#[test]
fn only_edits_have_diffs() {
    let given = |json: &str| Payload::from_text(json.to_owned());
    let edit = r#"{"file_path":"/a","old_string":"x\n","new_string":"y\n"}"#;
    insta::assert_snapshot!(from_arguments("edit", &given(edit)).unwrap(), @r"
    --- /a
    +++ /a
    @@ -1 +1 @@
    -x
    +y
    ");
    assert_eq!(from_arguments("read", &given(edit)), None);
    let same = r#"{"path":"/a","old_string":"x","new_string":"x"}"#;
    assert_eq!(from_arguments("edit", &given(same)), None);
    let many = r#"{"path":"/a","edits":[{"old_string":"1\n","new_string":"2\n"},{"old_string":"3\n","new_string":""}]}"#;
    let diff = from_arguments("multi_edit", &given(many)).unwrap();
    assert!(diff.contains("-1\n+2\n") && diff.contains("-3\n"), "{diff}");
    let patch = r#"{"patch":"*** Begin Patch\n*** Add File: n\n+1\n*** End Patch"}"#;
    assert!(from_arguments("edit", &given(patch)).unwrap().contains("+++ n\n"));
    let huge = format!(r#"{{"path":"/a","contents":"{}"}}"#, "line\\n".repeat(300_000));
    let diff = from_arguments("write", &given(&huge)).unwrap();
    assert!(diff.starts_with("--- /dev/null\n+++ /a\n@@ -0,0 +1,300000 @@\n+line\n"), "{}", &diff[..60]);
}
