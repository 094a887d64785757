//! A slug followed down a tree of folders, asking for each folder's children. Asks, never reads by itself.

use crate::slug::slug;

/// How far a slug could be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unslugged {
    /// These folders exist and have exactly that slug, most separators first; one of them is proof enough.
    Exists(Vec<String>),
    /// The deepest folder that exists, and what is left of the slug as one name below it: the leaf is gone.
    LeafMissing(String),
    /// Nothing of it exists: every `-` taken for a separator. Fit to be shown, not to be trusted.
    Guess(String),
}

/// More folders than this are not asked: a slug of single letters can branch without end.
const MOST_FOLDERS: usize = 10_000;

/// Follows `slug` from `root` (such as `/` or `C:\`). `children` names the folders inside a folder.
pub fn unslug(slug_text: &str, root: &str, children: &dyn Fn(&str) -> Vec<String>) -> Unslugged {
    let separator = if root.contains('\\') { '\\' } else { '/' };
    let wanted = slug_text.trim_matches('-');
    let below_root = below(wanted, &slug(root));
    let mut walk = Walk { root, separator, children, asked: 0, exists: Vec::new(), deepest: None };
    walk.follow(below_root);
    if !walk.exists.is_empty() {
        return Unslugged::Exists(walk.exists);
    }
    match walk.deepest {
        Some((folder, rest)) => Unslugged::LeafMissing(format!("{folder}{separator}{rest}")),
        None => Unslugged::Guess(format!(
            "{}{separator}{}",
            root.trim_end_matches(separator),
            below_root.replace('-', &separator.to_string())
        )),
    }
}

struct Walk<'a> {
    root: &'a str,
    separator: char,
    children: &'a dyn Fn(&str) -> Vec<String>,
    asked: usize,
    exists: Vec<String>,
    deepest: Option<(String, String)>,
}

impl Walk<'_> {
    /// Folders to visit are kept on a list, not on the stack; short names first, so `/` comes before `-`.
    fn follow(&mut self, below_root: &str) {
        let root = self.root.trim_end_matches(self.separator);
        let mut open = vec![(root.to_owned(), below_root.to_owned())];
        while let Some((folder, rest)) = open.pop() {
            if rest.is_empty() {
                self.exists.push(folder);
                continue;
            }
            if self.asked == MOST_FOLDERS {
                return;
            }
            self.asked += 1;
            let shown = if folder == root { self.root } else { &folder };
            let mut next = Vec::new();
            for name in (self.children)(shown) {
                if let Some(left) = left_after(&rest, &slug(&name)) {
                    next.push((left.len(), format!("{folder}{}{name}", self.separator), left.to_owned()));
                }
            }
            // The last on the list is visited first: the child that uses up the least of the slug.
            next.sort();
            for (_, child, left) in next {
                self.note(&child, &left);
                open.push((child, left));
            }
        }
    }

    fn note(&mut self, folder: &str, left: &str) {
        let is_deeper = self.deepest.as_ref().is_none_or(|(_, best)| left.len() < best.len());
        if !left.is_empty() && is_deeper {
            self.deepest = Some((folder.to_owned(), left.to_owned()));
        }
    }
}

/// What is left of a slug below its root; the letter of a drive may differ in case.
fn below<'a>(wanted: &'a str, root: &str) -> &'a str {
    match wanted.get(..root.len()) {
        Some(beginning) if beginning.eq_ignore_ascii_case(root) => wanted[root.len()..].trim_matches('-'),
        _ => wanted,
    }
}

/// What is left of `rest` after `taken`, if it begins with it at a boundary.
fn left_after<'a>(rest: &'a str, taken: &str) -> Option<&'a str> {
    if taken.is_empty() {
        return None;
    }
    let left = rest.strip_prefix(taken)?;
    if left.is_empty() { Some(left) } else { left.strip_prefix('-') }
}
