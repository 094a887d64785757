//! Which files the checkpoints at each message of the play kept.

use std::collections::{HashMap, HashSet};

use backscroll_model::{Conversation, KeptState, Message, Side};

use super::paths;

/// One state that a checkpoint tells.
#[derive(Clone, Copy)]
pub(super) struct Told<'a> {
    /// The number of the state: the same number is the same text.
    pub(super) number: usize,
    /// The file, by the name that the play has for it.
    pub(super) path: &'a str,
    /// What it held; nothing if there was no file.
    pub(super) text: &'a str,
}

/// The checkpoints of a conversation, by message.
pub(super) struct Kept<'a> {
    /// Every state, and the name of its file in the play.
    states: Vec<(String, &'a KeptState)>,
    by_message: HashMap<(&'a str, Side), Vec<usize>>,
}

impl<'a> Kept<'a> {
    pub(super) fn of(conversation: &'a Conversation, workspace: Option<&str>) -> Self {
        let kept = &conversation.kept_files;
        let paths = kept.states.iter().map(|state| state.path.as_str()).collect();
        let names = names(paths, conversation, workspace);
        let told =
            |state: &'a KeptState| (names.get(state.path.as_str()).cloned().unwrap_or_default(), state);
        let mut by_message: HashMap<(&str, Side), Vec<usize>> = HashMap::new();
        for checkpoint in &kept.checkpoints {
            let place = by_message.entry((checkpoint.message.as_str(), checkpoint.side)).or_default();
            place.extend(&checkpoint.states);
        }
        Self { states: kept.states.iter().map(told).collect(), by_message }
    }

    /// What is told on one side of `message`, in order.
    pub(super) fn at<'s>(&'s self, message: &'s Message, side: Side) -> impl Iterator<Item = Told<'s>> {
        let numbers =
            self.by_message.get(&(message.id.as_str(), side)).map(Vec::as_slice).unwrap_or_default();
        numbers.iter().filter_map(|number| {
            let (path, state) = self.states.get(*number)?;
            Some(Told { number: *number, path, text: state.text.as_deref().unwrap_or_default() })
        })
    }
}

/// The name of each kept file. Checkpoints tell whole paths; a step may tell a path from some folder that nobody names. So
/// the touched file with the longest name that a path ends with is meant, unless two paths would mean the same.
fn names<'a>(
    kept: HashSet<&'a str>,
    conversation: &Conversation,
    workspace: Option<&str>,
) -> HashMap<&'a str, String> {
    if kept.is_empty() {
        return HashMap::new();
    }
    let touched: HashSet<String> =
        conversation.touched().iter().map(|touched| paths::one_name(&touched.path, workspace)).collect();
    let mut claims: HashMap<&str, usize> = HashMap::new();
    let mut meant: HashMap<&str, (String, Option<&String>)> = HashMap::new();
    for path in kept {
        let own = paths::one_name(path, workspace);
        let ends = |name: &&String| {
            **name == own || own.strip_suffix(name.as_str()).is_some_and(|folder| folder.ends_with('/'))
        };
        let name = touched.iter().filter(ends).max_by_key(|name| name.len());
        *claims.entry(name.map_or("", String::as_str)).or_default() += 1;
        meant.insert(path, (own, name));
    }
    let sure = |own: String, name: Option<&String>| match name {
        Some(name) if claims.get(name.as_str()) == Some(&1) => name.clone(),
        _ => own,
    };
    meant.into_iter().map(|(path, (own, name))| (path, sure(own, name))).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use backscroll_model::{Attachment, AttachmentKind, Layer, Origin, Part, Role, Summary, Surface};

    use super::*;

    #[test]
    fn kept_files_are_known_again_by_the_ends_of_their_paths() {
        let origin = Origin::new(Layer::IdeGlobal, Path::new("state.vscdb"), "key");
        let mut message = Message::new("m", Role::User, origin.clone());
        let touched = ["src/a.rs", "a.rs", "/w/b.rs", "lib.rs", "/x/lib.rs"];
        let attached =
            |path: &str| Part::Attachment(Box::new(Attachment::new(AttachmentKind::File).at(path)));
        message.parts = touched.map(attached).into();
        let mut conversation = Conversation::of(Summary::new("c".into(), Surface::Ide, origin));
        conversation.messages.push(message);
        let table = [
            ("/home/a/app/src/a.rs", "src/a.rs"),
            ("/w/b.rs", "/w/b.rs"),
            ("/y/lib.rs", "/y/lib.rs"),
            ("/z/lib.rs", "/z/lib.rs"),
            ("/x/lib.rs", "/x/lib.rs"),
            ("/untouched.rs", "/untouched.rs"),
        ];
        let names = names(table.iter().map(|(path, _)| *path).collect(), &conversation, None);
        for (path, expected) in table {
            assert_eq!(names[path], expected, "{path}");
        }
    }
}
