//! What stands beside words and calls: attachments, pictures, summaries, errors. Layers put them into different messages,
//! so they are not aligned; what one layer alone has is added to the message that it belongs to.

use std::collections::{BTreeMap, HashSet};

use backscroll_model::{Image, Message, Origin, Part, bare, file_name};

/// Long texts are known by their beginning.
const LONGEST_KEY: usize = 200;

/// What makes two such parts the same. `None` for words, thoughts and calls.
pub(super) fn key(part: &Part) -> Option<String> {
    let short = |text: &str| bare(text).chars().take(LONGEST_KEY).collect::<String>();
    Some(match part {
        Part::Text(_) | Part::Thinking { .. } | Part::ToolCall(_) => return None,
        Part::Image(image) => {
            let named = image.path.as_deref().map(file_name).or(image.description.as_deref());
            let data = image.data.as_deref().map(short);
            format!("image {}", named.map(str::to_owned).or(data).unwrap_or_default())
        }
        Part::Attachment(attachment) => match (&attachment.path, &attachment.title, &attachment.text) {
            (Some(path), _, _) => format!("at {}", file_name(path)),
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

/// Whether a part says no more than that a picture was there, as `[Image]` in a transcript does.
fn is_stand_in(part: &Part) -> bool {
    matches!(part, Part::Image(image) if **image == Image::default())
}

/// The keys of everything that stands beside the words of `messages`.
pub(super) fn keys(messages: &[Message]) -> HashSet<String> {
    messages.iter().flat_map(|message| &message.parts).filter_map(key).collect()
}

/// What stands beside those messages of `other` that `spine` has too, and not beside the spine's: the spine's message, the
/// part, and where it was read. `matched` are the spine's messages for each of the other's.
pub(super) fn missing(
    spine: &[Message],
    other: &[Message],
    matched: &BTreeMap<usize, Vec<usize>>,
) -> Vec<(usize, Part, Origin)> {
    let known = keys(spine);
    let mut missing = Vec::new();
    for (at, met) in matched {
        let (Some(&first), Some(&last)) = (met.first(), met.last()) else { continue };
        let beside = other[*at].parts.iter().filter_map(|part| Some((part, key(part)?)));
        for (part, key) in beside {
            // A file may be attached again and again; context is there once.
            let is_known = if is_stand_in(part) {
                met.iter().flat_map(|&mine| &spine[mine].parts).any(|own| matches!(own, Part::Image(_)))
            } else if key.starts_with("at ") {
                met.iter().flat_map(|&mine| &spine[mine].parts).filter_map(self::key).any(|own| own == key)
            } else {
                known.contains(&key)
            };
            if !is_known {
                let at_end = matches!(part, Part::Error(_));
                missing.push((if at_end { last } else { first }, part.clone(), other[*at].origin.clone()));
            }
        }
    }
    missing
}
