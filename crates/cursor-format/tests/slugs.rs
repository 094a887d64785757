//! Slugs and chat folders: appendix A.1 and conformance lines C059, C060, C084.

use backscroll_cursor_format::slug::{beginning_with_slug, chats_folder, folder_of, matches, slug, unslug};

#[test]
fn paths_become_slugs() {
    let table = [
        ("/home/u/my_proj.v2", "home-u-my-proj-v2"),
        ("/Users/j.doe/Café/x", "Users-j-doe-Caf-x"),
        ("/home/u/codes/x/src", "home-u-codes-x-src"),
        ("c:\\Users\\u\\Docs", "c-Users-u-Docs"),
        ("/", ""),
        ("", ""),
    ];
    for (path, expected) in table {
        assert_eq!(slug(path), expected, "{path}");
    }
}

#[test]
fn ids_are_hashes_as_in_appendix_a1() {
    assert_eq!(chats_folder("/home/u/proj"), "4fafce67053eea06f159a78f7ef15755");
}

#[test]
fn slugs_are_matched_by_evidence() {
    assert!(matches("c-Users-u-Docs", "C:\\Users\\u\\Docs"));
    assert!(matches("-home-u", "/home/u"));
    assert!(!matches("c-users", "C:\\Users"));
    assert!(!matches("home-U", "/home/u"));
    assert_eq!(beginning_with_slug("home-u-a-b", "/home/u/a.b/src/main.rs"), Some("/home/u/a.b"));
    assert_eq!(beginning_with_slug("home-u-a", "/home/u/ab/c"), None);
    assert_eq!(
        folder_of("home-u-a-b", ["/home/u/a-b/x", "/home/u/a/b/y", "/home/u/a-b/z", "/etc"]).as_deref(),
        Some("/home/u/a-b")
    );
    assert_eq!(folder_of("c-p", ["C:\\p\\src\\x.rs"]).as_deref(), Some("C:\\p"));
}

/// The folders of a made-up machine.
fn children(folder: &str) -> Vec<String> {
    let names: &[&str] = match folder {
        "/" => &["t"],
        "/t" => &["my", "my-project", ".cursor-sdk-control", "artifacts", "a"],
        "/t/my-project" => &["workspace-root", "workspace"],
        "/t/.cursor-sdk-control" => &["artifacts"],
        "/t/a" => &["b-c", "b"],
        "/t/a/b" => &["c"],
        _ => &[],
    };
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn c059_c060_slugs_are_followed_down_a_tree() {
    let exists = |paths: &[&str]| -> Vec<String> { paths.iter().map(|path| (*path).to_owned()).collect() };
    let table = [
        ("C059 dashes in names", "t-my-project-workspace-root", exists(&["/t/my-project/workspace-root"])),
        (
            "C059 a dropped dot",
            "t-cursor-sdk-control-artifacts",
            exists(&["/t/.cursor-sdk-control/artifacts"]),
        ),
        ("C059 '/' before '-'", "t-a-b-c", exists(&["/t/a/b/c", "/t/a/b-c"])),
        ("C059 nothing exists", "-definitely-missing-cursor-path", exists(&[])),
        (
            "C060 the leaf is gone",
            "t-artifacts-slack-inbox-5433add3-d507-4e0a-8f71-1bd30c541913",
            exists(&[]),
        ),
    ];
    for (name, slug, expected) in table {
        assert_eq!(unslug(slug, "/", &children), expected, "{name}");
    }
    let windows = |folder: &str| match folder {
        "C:\\" => vec!["Users".to_owned()],
        "C:\\Users" => vec!["u".to_owned()],
        _ => Vec::new(),
    };
    assert_eq!(unslug("C-Users-u", "C:\\", &windows), exists(&["C:\\Users\\u"]));
    assert_eq!(unslug("c-Users-u", "C:\\", &windows), exists(&["C:\\Users\\u"]));
}
