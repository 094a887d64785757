//! Find by file: which conversations touched it.

use backscroll_model::{ConversationId, Hit, Summary, Touch, Workspace};
use jiff::Timestamp;
use rusqlite::Connection;

use super::answer;
use crate::database::Statements as _;
use crate::{Index, IndexError, codes};

/// One touch of one file.
#[derive(Debug, Clone)]
pub struct FileTouch {
    /// The file, as stored.
    pub path: String,
    /// What was done to it.
    pub how: Touch,
    /// The message in which it was done.
    pub hit: Hit,
    /// The number of the part in that message, from zero.
    pub part: usize,
    /// Lines added and removed.
    pub lines: (u64, u64),
    /// The message holds a diff of it.
    pub has_diff: bool,
}

/// A conversation that touched a file.
#[derive(Debug, Clone)]
pub struct TouchedBy {
    /// The conversation.
    pub summary: Summary,
    /// When it last did.
    pub at: Option<Timestamp>,
    /// What it did, in order.
    pub touches: Vec<FileTouch>,
}

impl Index {
    /// The files that a conversation touched, each once.
    pub fn touched(&self, id: &ConversationId) -> Result<Vec<String>, IndexError> {
        let Some(number) = self.number_of(id)? else { return Ok(Vec::new()) };
        let sql = "SELECT DISTINCT f.path FROM message m JOIN touched t ON t.row = m.row JOIN file f ON f.number = t.file
                   WHERE m.conversation = ? ORDER BY f.path";
        self.connection().all(sql, [number], |row| row.get(0))
    }

    /// All conversations that touched the file that `asked` means, latest first.
    pub fn files(&self, asked: &str) -> Result<Vec<TouchedBy>, IndexError> {
        let connection = self.connection();
        let mut numbers: Vec<String> = numbers(connection, asked)?.iter().map(ToString::to_string).collect();
        numbers.sort_unstable();
        let sql = format!(
            "SELECT t.row, t.part, t.conversation, t.how, t.added, t.removed, t.has_diff, f.path, c.workspace, c.remote,
                    coalesce(m.at, c.recency, c.created_at)
             FROM touched t JOIN file f ON f.number = t.file JOIN message m ON m.row = t.row
             JOIN conversation c ON c.number = t.conversation
             WHERE t.file IN ({}) ORDER BY t.conversation, m.number, t.part",
            numbers.join(",")
        );
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut found: Vec<(i64, TouchedBy)> = Vec::new();
        while let Some(row) = rows.next()? {
            let (path, workspace): (String, Option<String>) = (row.get(7)?, row.get(8)?);
            if !is_meant(asked, &path, workspace.as_deref()) {
                continue;
            }
            let conversation: i64 = row.get(2)?;
            if found.last().is_none_or(|(last, _)| *last != conversation) {
                let summary = answer::summary(connection, conversation)?;
                found.push((conversation, TouchedBy { summary, at: None, touches: Vec::new() }));
            }
            let Some((_, by)) = found.last_mut() else { continue };
            let at: Option<i64> = row.get(10)?;
            by.at = by.at.max(at.and_then(|at| Timestamp::from_millisecond(at).ok()));
            let size =
                |column: usize| row.get::<_, i64>(column).map(|lines| u64::try_from(lines).unwrap_or(0));
            by.touches.push(FileTouch {
                path,
                how: codes::of_code(row.get(3)?),
                hit: answer::hit(connection, (&by.summary.id, conversation), row.get(0)?, 0.0)?,
                part: usize::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
                lines: (size(4)?, size(5)?),
                has_diff: row.get(6)?,
            });
        }
        found.sort_by(|(a, one), (b, other)| other.at.cmp(&one.at).then(b.cmp(a)));
        Ok(found.into_iter().map(|(_, by)| by).collect())
    }
}

/// The numbers of the files that `asked` may mean: by name or the end of the path, in any system's spelling. A folder, with a
/// slash at its end, means all in it; a part of a name counts only where no file has just that name.
pub(super) fn numbers(connection: &Connection, asked: &str) -> Result<Vec<i64>, IndexError> {
    let wanted = comparable(asked);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    if asked.ends_with(['/', '\\']) {
        let folder = format!("/{wanted}/");
        return matching(connection, "SELECT number, path FROM file", None, |path| {
            format!("/{path}").contains(&folder)
        });
    }
    let name = wanted.rsplit('/').next().unwrap_or(&wanted).to_owned();
    let by_name = "SELECT number, path FROM file WHERE name = ?";
    let exact = matching(connection, by_name, Some(&name), |path| ends_alike(path, &wanted))?;
    if !exact.is_empty() || wanted.contains('/') {
        return Ok(exact);
    }
    matching(connection, "SELECT number, path FROM file WHERE instr(name, ?) > 0", Some(&name), |_| true)
}

/// Whether `path` is the file, or lies in the folder, that `asked` means.
pub(crate) fn is_file(asked: &str, path: &str) -> bool {
    let (wanted, path) = (comparable(asked), comparable(path));
    if asked.ends_with(['/', '\\']) {
        return format!("/{path}").contains(&format!("/{wanted}/"));
    }
    !wanted.is_empty() && ends_alike(&path, &wanted)
}

fn matching(
    connection: &Connection,
    sql: &str,
    name: Option<&str>,
    fits: impl Fn(&str) -> bool,
) -> Result<Vec<i64>, IndexError> {
    let mut files: Vec<(i64, String)> =
        connection.all(sql, rusqlite::params_from_iter(name), |row| Ok((row.get(0)?, row.get(1)?)))?;
    files.retain(|(_, path)| fits(&comparable(path)));
    Ok(files.into_iter().map(|(number, _)| number).collect())
}

/// In lower case, with slashes, without a scheme, a drive's colon, and `.` components.
fn comparable(path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/").to_lowercase();
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.map(|part| part.trim_end_matches(':')).collect::<Vec<_>>().join("/")
}

/// Whether one path ends with all components of the other.
fn ends_alike(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Whether a stored path, seen from its workspace, is the one that was asked for. A relative path that is shorter than the
/// asked one may lie in another project.
fn is_meant(asked: &str, stored: &str, workspace: Option<&str>) -> bool {
    let (wanted, path) = (comparable(asked), comparable(stored));
    if wanted.len() <= path.len() {
        return true;
    }
    workspace.is_none_or(|workspace| ends_alike(&format!("{}/{path}", comparable(workspace)), &wanted))
        || workspace.is_some_and(|workspace| {
            Workspace::answers_to(asked, None, workspace) && ends_alike(&wanted, &path)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_in_every_spelling() {
        let same = |a: &str, b: &str| ends_alike(&comparable(a), &comparable(b));
        assert!(same("src/auth.py", "/home/a/app/src/auth.py"));
        assert!(same("C:\\work\\app\\src\\Auth.py", "src/auth.py"));
        assert!(same("file:///c:/code/app/a.rs", "c:\\code\\app\\a.rs"));
        assert!(same("./src/auth.py", "src/auth.py"));
        assert!(!same("auth.py", "oauth.py"));
        assert!(!same("src/auth.py", "lib/auth.py"));
        assert!(is_meant("/home/a/app/src/auth.py", "src/auth.py", Some("/home/a/app")));
        assert!(!is_meant("/home/a/app/src/auth.py", "src/auth.py", Some("/home/a/other")));
    }
}
