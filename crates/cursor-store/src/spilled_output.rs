//! Output of tools that was too long for a message and spilled into `agent-tools/<uuid>.txt`.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use backscroll_model::{
    Attachment, AttachmentKind, Conversation, Finding, FindingKind, Holding, Layer, Message, Origin, Part,
    Payload, Spilled, ToolCall,
};

use crate::folder_listing::{beginning, children, folders, name_of};
use crate::project_folder::ProjectFolder;

/// Longer output is cut off.
const LONGEST: u64 = 4 * 1024 * 1024;

/// The spilled output of one project, by the names of its files.
pub(crate) fn of(project: &ProjectFolder) -> HashMap<String, PathBuf> {
    let files = children(&project.path.join("agent-tools")).into_iter().filter(|path| path.is_file());
    files.map(|path| (name_of(&path), path)).collect()
}

/// Attaches to each call the spilled output that it names, of whatever project below these folders. Nothing is looked for
/// where no call speaks of any.
pub(crate) fn attach_from(conversation: &mut Conversation, projects: &[PathBuf]) {
    let speaks_of_it = |call: &ToolCall| {
        let said = [&call.arguments, &call.result].into_iter().flatten().map(Payload::as_str);
        said.chain(call.error.as_deref()).any(|text| text.contains("agent-tools"))
    };
    if !conversation.messages.iter().flat_map(Message::tool_calls).any(speaks_of_it) {
        return;
    }
    let all = projects.iter().flat_map(|projects| folders(projects));
    let spilled = all.flat_map(|project| of(&ProjectFolder::at(&project))).collect();
    attach(conversation, &spilled);
}

/// Attaches to each call the spilled output that it names.
pub(crate) fn attach(conversation: &mut Conversation, spilled: &HashMap<String, PathBuf>) {
    if spilled.is_empty() {
        return;
    }
    for message in &mut conversation.messages {
        let mut named: Vec<(usize, &PathBuf)> = Vec::new();
        for (at, part) in message.parts.iter().enumerate() {
            let Part::ToolCall(call) = part else { continue };
            for path in named_by(call).filter_map(|name| spilled.get(name)) {
                if !named.iter().any(|(_, known)| *known == path) {
                    named.push((at, path));
                }
            }
        }
        for (at, path) in named.into_iter().rev() {
            match read(path, message.origin.layer) {
                Ok((attachment, trouble)) => {
                    message.parts.insert(at + 1, Part::Attachment(Box::new(attachment)));
                    conversation.findings.extend(trouble);
                }
                Err(error) => {
                    let says = format!("spilled output cannot be read: {error}");
                    let at = Origin::new(message.origin.layer, path.as_path(), "");
                    conversation.findings.push(Finding::new(FindingKind::Unreadable, at, says));
                }
            }
        }
    }
}

fn read(path: &Path, layer: Layer) -> std::io::Result<(Attachment, Option<Finding>)> {
    let (bytes, is_all) = beginning(path, LONGEST)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let attachment = Attachment::new(AttachmentKind::Output).at(path.to_string_lossy()).saying(text);
    let trouble = (!is_all).then(|| {
        let says = format!("spilled output is longer than {LONGEST} bytes and is cut off");
        Finding::new(FindingKind::TooLarge, Origin::new(layer, path, ""), says)
    });
    Ok((attachment, trouble))
}

/// What the `agent-tools` folder of a project holds, if there is any, and how much of it goes by none of these names.
pub(crate) fn held(project: &Path, names: &HashSet<String>) -> Option<Holding> {
    let files = of(&ProjectFolder::at(project));
    let unnamed = files.keys().filter(|name| !names.contains(*name)).count() as u64;
    let spilled = Spilled { files: files.len() as u64, unnamed };
    let holding = Holding::of(Layer::TranscriptText, project.join("agent-tools"));
    (spilled.files > 0).then_some(Holding { spilled: Some(spilled), ..holding })
}

/// The names of all text files that calls of `messages` speak of.
pub(crate) fn named_in(messages: &[Message]) -> HashSet<String> {
    messages.iter().flat_map(Message::tool_calls).flat_map(named_by).map(str::to_owned).collect()
}

/// Every name of a `.txt` file in what a call was given and answered.
fn named_by(call: &ToolCall) -> impl Iterator<Item = &str> {
    let said = [&call.arguments, &call.result].into_iter().flatten().map(Payload::as_str);
    said.chain(call.error.as_deref()).flat_map(text_files)
}

fn text_files(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.match_indices(".txt").map(|(at, found)| at + found.len());
    ends.map(move |end| {
        let before = &text[..end];
        let is_outside = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        let start = before
            .rfind(is_outside)
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        &before[start..]
    })
}
