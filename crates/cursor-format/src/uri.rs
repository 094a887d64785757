//! URIs and URI objects as VS Code writes them, turned into paths in the spelling of their own machine.

use backscroll_model::{Attribution, Workspace};
use percent_encoding::percent_decode_str;
use serde_json::value::RawValue;

use crate::hex;
use crate::wire_json::{Int, Text, string, wire};

/// A place named by a URI.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FolderUri {
    /// The path, as the machine it is on spells it.
    pub path: String,
    /// The URI, where one was stored.
    pub uri: Option<String>,
    /// The host: `ssh-remote+box`, `wsl+ubuntu`, `dev-container+…`.
    pub remote: Option<String>,
}

impl FolderUri {
    /// The workspace at this place, known by this route.
    pub fn into_workspace(self, by: Attribution) -> Workspace {
        Workspace { path: self.path, uri: self.uri, remote: self.remote, by }
    }
}

/// The place that a URI or a plain path names.
pub fn place(text: &str) -> Option<FolderUri> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        // A URI's path of a Windows file, without its URI.
        let windows = windows_spelling(text).filter(|_| text.starts_with('/'));
        return Some(FolderUri { path: windows.unwrap_or_else(|| text.to_owned()), uri: None, remote: None });
    };
    let (authority, path) = match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, ""),
    };
    let authority = decoded(authority);
    let path = decoded(path);
    let uri = Some(text.to_owned());
    Some(match scheme {
        "vscode-remote" => FolderUri { path, uri, remote: Some(host(&authority)) },
        "file" if !authority.is_empty() && authority != "localhost" => {
            FolderUri { path: format!(r"\\{authority}{}", path.replace('/', r"\")), uri, remote: None }
        }
        _ => FolderUri { path: windows_spelling(&path).unwrap_or(path), uri, remote: None },
    })
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// `/c:/code/app` as Windows spells it; `None` if there is no drive letter.
fn windows_spelling(path: &str) -> Option<String> {
    let rest = path.strip_prefix('/').unwrap_or(path);
    let mut start = rest.chars();
    let (drive, colon) = (start.next()?, start.next()?);
    let is_drive = drive.is_ascii_alphabetic() && colon == ':';
    is_drive.then(|| format!("{}{}", drive.to_ascii_lowercase(), &rest[1..].replace('/', r"\")))
}

/// The host of a remote authority. The name after `ssh-remote+` may be JSON in hex, `{"hostName":"box"}`.
fn host(authority: &str) -> String {
    let Some((kind, name)) = authority.split_once('+') else {
        return authority.to_owned();
    };
    wire! {
        struct WireHost<'a> { name: Text<'a> = "hostName" | "host", }
    }
    let bytes = hex::decode(name.as_bytes()).unwrap_or_default();
    match serde_json::from_slice::<WireHost<'_>>(&bytes) {
        Ok(WireHost { name: Text::Is(plain), .. }) => format!("{kind}+{plain}"),
        _ => authority.to_owned(),
    }
}

wire! {
    /// VS Code's `UriComponents`, in both of its serialisations.
    struct WireUri<'a> {
        fs_path: Text<'a> = "fsPath" | "_fsPath",
        external: Text<'a> = "external" | "_formatted",
        path: Text<'a> = "path",
        scheme: Text<'a> = "scheme",
        authority: Text<'a> = "authority",
        windows: Int = "_sep",
    }
}

impl WireUri<'_> {
    fn place(&self) -> Option<FolderUri> {
        let scheme = self.scheme.filled().unwrap_or("file");
        if let Some(external) = self.external.filled()
            && let Some(from_external) = place(external)
        {
            let path = match self.fs_path.filled() {
                Some(fs_path) if from_external.remote.is_none() => fs_path.to_owned(),
                _ => from_external.path,
            };
            return Some(FolderUri { path, ..from_external });
        }
        let path = self.fs_path.filled().or(self.path.filled())?;
        if scheme == "vscode-remote" {
            let remote = self.authority.filled().map(|authority| host(&decoded(authority)));
            return Some(FolderUri { path: path.to_owned(), uri: None, remote });
        }
        let path = windows_spelling(path).unwrap_or_else(|| path.to_owned());
        Some(FolderUri { path, uri: None, remote: None })
    }
}

/// The place that a stored value names: a string, or a URI object.
pub fn place_of(value: &RawValue) -> Option<FolderUri> {
    match string(value) {
        Some(text) => place(&text),
        None => serde_json::from_str::<WireUri<'_>>(value.get()).ok()?.place(),
    }
}

/// Whether `path` is absolute on any system.
pub fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [b'/', ..] | [b'\\', b'\\', ..])
        || matches!(bytes, [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_become_paths_in_their_own_spelling() {
        let table = [
            ("file:///a/b%20c", "/a/b c", None),
            ("file:///c%3A/Users/x", r"c:\Users\x", None),
            ("file:///C:/Users/x", r"c:\Users\x", None),
            ("vscode-remote://ssh-remote%2Bhost/home/u", "/home/u", Some("ssh-remote+host")),
            ("vscode-remote://wsl%2Bubuntu/home/u", "/home/u", Some("wsl+ubuntu")),
            (
                "vscode-remote://ssh-remote%2B7b22686f73744e616d65223a22636f7265227d/home/user/app",
                "/home/user/app",
                Some("ssh-remote+core"),
            ),
            ("file://wsl.localhost/Ubuntu/home", r"\\wsl.localhost\Ubuntu\home", None),
            ("/plain/path", "/plain/path", None),
            ("/c:/apps/x", r"c:\apps\x", None),
        ];
        for (uri, path, remote) in table {
            let place = place(uri).unwrap();
            assert_eq!((place.path.as_str(), place.remote.as_deref()), (path, remote), "{uri}");
        }
        assert_eq!(place("  "), None);
    }

    #[test]
    fn uri_objects_are_read_in_both_serialisations() {
        let path = |json: &str| place_of(&RawValue::from_string(json.into()).unwrap()).unwrap().path;
        assert_eq!(
            path(
                r#"{"$mid":1,"fsPath":"c:\\a","external":"file:///c%3A/a","path":"/c:/a","scheme":"file","_sep":1}"#
            ),
            r"c:\a"
        );
        assert_eq!(
            path(r#"{"scheme":"file","authority":"","path":"/a/b","_formatted":null,"_fsPath":null}"#),
            "/a/b"
        );
        assert_eq!(
            path(r#"{"$mid":1,"external":"file:///x/y%20z","path":"/x/y z","scheme":"file"}"#),
            "/x/y z"
        );
    }
}
