//! One name for each file, however tools spell it: absolute, relative to the workspace, or as a URI.

/// The file that `path` names, relative to `workspace` where it lies in it.
pub(super) fn one_name(path: &str, workspace: Option<&str>) -> String {
    let path = path.trim();
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
    // `file:///c:/work` has a slash before the drive.
    let path = match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => path[1..].to_owned(),
        _ => path,
    };
    let workspace = workspace.map(|folder| folder.replace('\\', "/"));
    let inside =
        workspace.as_deref().map(|folder| folder.trim_end_matches('/')).filter(|folder| !folder.is_empty());
    let relative = inside.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    let name = relative.unwrap_or(&path);
    let name = name.strip_prefix("./").unwrap_or(name);
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_name() {
        let table = [
            ("/home/a/app/src/x.rs", "src/x.rs"),
            ("src/x.rs", "src/x.rs"),
            ("./src/x.rs", "src/x.rs"),
            ("file:///home/a/app/src/x.rs", "src/x.rs"),
            ("/home/a/application/x.rs", "/home/a/application/x.rs"),
            ("/etc/hosts", "/etc/hosts"),
        ];
        for (stored, expected) in table {
            assert_eq!(one_name(stored, Some("/home/a/app")), expected, "{stored}");
        }
        assert_eq!(one_name(r"c:\work\app\x.rs", Some(r"c:\work\app")), "x.rs");
        assert_eq!(one_name("file:///c:/code/app/x.rs", Some(r"c:\code\app")), "x.rs");
        assert_eq!(one_name("é", Some("")), "é");
    }
}
