//! Names of exported files.
//!
//! In a folder they are `workspace/2026-01-19-title-98251e54.md`: safe on every system, and the same each time. Only letters,
//! digits and dashes are left of stored text, so a name cannot lead out of its folder, end in a dot, be hidden or change the
//! direction of text; it begins with a day, so it is no device of Windows; and it is short.

use std::collections::BTreeMap;

use backscroll_model::Summary;

use crate::folder::hash;
use crate::format::Format;

/// Characters of a title in a name.
const LONGEST: usize = 60;

/// And bytes: some file systems allow few.
const MOST_BYTES: usize = 120;

/// Characters of an id in a name.
const SHORT_ID: usize = 8;

/// A name for the file of one conversation: `make-it-fast-98251e54.html`.
pub fn file_name(summary: &Summary, ending: &str) -> String {
    format!("{}-{}.{ending}", title(summary), short_id(summary))
}

fn title(summary: &Summary) -> String {
    let title = slug(summary.title.as_deref().unwrap_or_default());
    if title.is_empty() { "untitled".to_owned() } else { title }
}

fn short_id(summary: &Summary) -> String {
    // A beginning that all ids of one kind share says nothing.
    let id = summary.id.as_str();
    let id = id.strip_prefix("agent-").unwrap_or(id);
    let id = id.chars().filter(char::is_ascii_alphanumeric).take(SHORT_ID).collect::<String>();
    if id.len() < SHORT_ID {
        hash(summary.id.as_str().as_bytes())[..SHORT_ID].to_owned()
    } else {
        id.to_ascii_lowercase()
    }
}

/// The path of each conversation's file below the folder, with slashes, in the order of `summaries`.
pub(crate) fn paths(summaries: &[Summary], format: &Format) -> Vec<String> {
    let folders = folders(summaries);
    let stem = |summary: &Summary, id: &str| {
        let day = summary.created_at.or(summary.updated_at).map(|at| at.strftime("%Y-%m-%d").to_string());
        let folder = folders.get(&workspace_key(summary)).map_or("no-workspace", String::as_str);
        format!("{folder}/{}-{}-{id}", day.as_deref().unwrap_or("undated"), title(summary))
    };
    let stems: Vec<String> = summaries.iter().map(|summary| stem(summary, &short_id(summary))).collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for stem in &stems {
        *seen.entry(stem.to_lowercase()).or_default() += 1;
    }
    let named = summaries.iter().zip(stems).map(|(summary, plain)| {
        let is_alone = seen.get(&plain.to_lowercase()) == Some(&1);
        // Two that would share a name get more of a hash of their ids.
        let whole = || stem(summary, &hash(summary.id.as_str().as_bytes())[..2 * SHORT_ID]);
        format!("{}.{}", if is_alone { plain } else { whole() }, format.name())
    });
    named.collect()
}

/// The path and the remote of a workspace.
type WorkspaceKey = Option<(String, Option<String>)>;

fn workspace_key(summary: &Summary) -> WorkspaceKey {
    summary.workspace.as_ref().map(|workspace| (workspace.path.clone(), workspace.remote.clone()))
}

/// A folder for each workspace, named by the last part of its path; where two would share a name, by a hash of their paths too.
fn folders(summaries: &[Summary]) -> BTreeMap<WorkspaceKey, String> {
    let mut names: BTreeMap<WorkspaceKey, String> = BTreeMap::new();
    for summary in summaries {
        let key = workspace_key(summary);
        let name = key.as_ref().map_or_else(|| "no-workspace".to_owned(), |(path, _)| folder(path));
        names.entry(key).or_insert(name);
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for name in names.values() {
        *seen.entry(name.to_lowercase()).or_default() += 1;
    }
    for (key, name) in &mut names {
        if let Some((path, remote)) = key.as_ref().filter(|_| seen.get(&name.to_lowercase()) != Some(&1)) {
            let whole = format!("{path}\0{}", remote.as_deref().unwrap_or_default());
            *name = format!("{name}-{}", &hash(whole.as_bytes())[..6]);
        }
    }
    names
}

fn folder(path: &str) -> String {
    /// Devices of Windows, and names that we use.
    const TAKEN: &[&str] = &["con", "prn", "aux", "nul", "assets", "readme", "index"];
    let last = path.split(['/', '\\']).rfind(|name| !name.is_empty()).unwrap_or_default();
    let name = slug(last);
    let is_port = name.len() == 4 && (name.starts_with("com") || name.starts_with("lpt"));
    if name.is_empty() || is_port || TAKEN.contains(&name.as_str()) {
        format!("workspace-{name}")
    } else {
        name
    }
}

/// The letters and digits of `text` in lower case, with one dash for each run of anything else.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    // `don't` is one word.
    let letters = text.chars().filter(|c| !matches!(c, '\'' | '’'));
    for c in letters.flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            if slug.chars().count() >= LONGEST || slug.len() + c.len_utf8() > MOST_BYTES {
                break;
            }
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use backscroll_model::{Attribution, ConversationId, Layer, Origin, Surface, Workspace};

    use super::*;
    use crate::format::named;

    fn format(name: &str) -> &'static Format {
        named(name).expect("a format")
    }

    fn summary(id: &str, title: &str, workspace: Option<&str>) -> Summary {
        let origin = Origin::new(Layer::IdeGlobal, Path::new("/x"), "k");
        Summary {
            title: Some(title.to_owned()),
            created_at: Some("2026-01-19T22:45:46Z".parse().expect("a time")),
            workspace: workspace.map(|path| Workspace {
                path: path.to_owned(),
                uri: None,
                remote: None,
                by: Attribution::Header,
            }),
            ..Summary::new(ConversationId::new(id), Surface::Ide, origin)
        }
    }

    #[test]
    fn names_are_safe_on_every_system() {
        let table = [
            (
                "98251e54-0000",
                "Fix the login!",
                Some("/home/a/My App"),
                "my-app/2026-01-19-fix-the-login-98251e54.md",
            ),
            (
                "98251e54-0000",
                "../../etc/passwd\0\u{202e}",
                Some("c:\\work\\CON"),
                "workspace-con/2026-01-19-etc-passwd-98251e54.md",
            ),
            ("98251e54-0000", "Don't stop", None, "no-workspace/2026-01-19-dont-stop-98251e54.md"),
            ("agent-71d46bec-b641", "x", None, "no-workspace/2026-01-19-x-71d46bec.md"),
            ("98251e54-0000", "...", None, "no-workspace/2026-01-19-untitled-98251e54.md"),
            ("98251e54-0000", "日本 é", Some("/"), "workspace-/2026-01-19-日本-é-98251e54.md"),
            ("a\nb", "x", Some("/x/com1"), "workspace-com1/2026-01-19-x-2d0e1b8c.md"),
        ];
        for (id, title, workspace, expected) in table {
            let path = paths(&[summary(id, title, workspace)], format("md")).remove(0);
            if id.len() > 3 {
                assert_eq!(path, expected);
            } else {
                assert!(
                    path.starts_with("workspace-com1/2026-01-19-x-") && path.len() == expected.len(),
                    "{path}"
                );
            }
        }
        let long = paths(&[summary("98251e54-0000", &"語".repeat(500), None)], format("html")).remove(0);
        assert!(long.len() < 200, "{long}");
    }

    #[test]
    fn no_two_share_a_name_or_a_folder() {
        let same = [
            summary("98251e54-0001", "x", Some("/a/app")),
            summary("98251e54-0002", "X", Some("/a/app")),
            summary("98251e54-0001", "x", Some("/b/app")),
        ];
        let named = paths(&same, format("md"));
        assert_ne!(named[0].to_lowercase(), named[1].to_lowercase());
        assert_ne!(named[0].split('/').next(), named[2].split('/').next());
        assert_eq!(named, paths(&same, format("md")));
    }

    #[test]
    fn no_title_makes_a_dangerous_file_name() {
        let table = [
            ("High water, summer", "high-water-summer-98251e54.md"),
            ("../../etc/passwd", "etc-passwd-98251e54.md"),
            ("a\"; filename=\"b.exe", "a-filename-b-exe-98251e54.md"),
            ("日本語\r\nX: y", "日本語-x-y-98251e54.md"),
            ("…", "untitled-98251e54.md"),
            ("CON", "con-98251e54.md"),
        ];
        for (title, expected) in table {
            assert_eq!(file_name(&summary("98251e54-0000", title, None), "md"), expected);
        }
        assert!(file_name(&summary("98251e54-0000", &"x".repeat(500), None), "md").len() <= 72);
    }
}
