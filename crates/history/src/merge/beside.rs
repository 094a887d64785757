//! What stands beside words and calls: attachments, pictures, summaries, errors. Layers put them into different
//! messages, so they are not aligned; what one layer alone has is added to the message that it belongs to.

use std::collections::{HashMap, HashSet};

use backscroll_model::{Fact, Message, Part};

/// Long texts are known by their beginning.
const TELLING: usize = 200;

/// What makes two such parts the same. `None` for words, thoughts and calls.
pub(super) fn key(part: &Part) -> Option<String> {
    let short = |text: &str| text.chars().filter(|c| !c.is_whitespace()).take(TELLING).collect::<String>();
    Some(match part {
        Part::Text(_) | Part::Thinking { .. } | Part::ToolCall(_) => return None,
        Part::Image(image) => {
            let named = image.path.as_deref().map(last_name).or(image.description.as_deref());
            let data = image.data.as_deref().map(short);
            format!("image {}", named.map(str::to_owned).or(data).unwrap_or_default())
        }
        Part::Attachment(attachment) => match (&attachment.path, &attachment.title, &attachment.text) {
            (Some(path), _, _) => format!("at {}", last_name(path)),
            (None, title, text) => {
                let text = text.as_deref().map(short).unwrap_or_default();
                format!("beside {} {text}", title.as_deref().unwrap_or_default())
            }
        },
        Part::Code(code) => format!("code {}", short(&code.text)),
        Part::Summary(text) => format!("summary {}", short(text)),
        Part::Error(text) => format!("error {}", short(text)),
        Part::Todos(todos) => {
            let contents: Vec<&str> = todos.iter().map(|todo| todo.content.as_str()).collect();
            format!("todos {}", short(&contents.join(" ")))
        }
    })
}

fn last_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Adds to the spine what stands beside the messages of `other` alone. `matched` are the spine's messages that tell
/// the same as one of the other's. Gives the other's messages that hold nothing else and that the spine lacks, each
/// with the spine's message that it follows.
pub(super) fn bring(
    spine: &mut [Message],
    other: &[Message],
    matched: &HashMap<usize, Vec<usize>>,
) -> Vec<(Option<usize>, usize)> {
    let known: HashSet<String> = spine.iter().flat_map(|message| &message.parts).filter_map(key).collect();
    let mut alone = Vec::new();
    let mut after = None;
    for (at, message) in other.iter().enumerate() {
        let beside = message.parts.iter().filter_map(key).count();
        let Some(same) = matched.get(&at) else {
            let is_new = message.parts.iter().filter_map(key).any(|key| !known.contains(&key));
            if beside > 0 && beside == message.parts.len() && is_new {
                alone.push((after, at));
            }
            continue;
        };
        after = same.iter().max().copied().or(after);
        let Some(&first) = same.first().filter(|_| beside > 0) else { continue };
        let here: HashSet<String> =
            same.iter().flat_map(|&mine| &spine[mine].parts).filter_map(key).collect();
        for part in &message.parts {
            let Some(key) = key(part) else { continue };
            // A file may be attached again and again; context is told once.
            let is_known = if key.starts_with("at ") { here.contains(&key) } else { known.contains(&key) };
            if !is_known {
                spine[first].note(Fact::Attachment, None, &message.origin);
                spine[first].parts.push(part.clone());
            }
        }
    }
    alone
}
