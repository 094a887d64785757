//! Rich text of the input box, in its three forms: Lexical, ProseMirror, and plain.

use backscroll_model::{Attachment, AttachmentKind};
use serde_json::Value;

/// The words of a rich text, and what was mentioned in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RichText {
    /// The words.
    pub text: String,
    /// Files, folders and other things that were mentioned.
    pub mentions: Vec<Attachment>,
}

/// Reads a `richText` value. What is not JSON, or is nested beyond reason, is taken for plain text.
pub fn read(source: &str) -> RichText {
    let mut rich = RichText::default();
    match serde_json::from_str::<Value>(source) {
        Ok(Value::Object(document)) => {
            let root = document.get("root").cloned().unwrap_or(Value::Object(document));
            walk(&root, &mut rich);
            rich.text.truncate(rich.text.trim_end_matches('\n').len());
        }
        Ok(Value::String(text)) => rich.text = text,
        Ok(_) => {}
        Err(_) => source.clone_into(&mut rich.text),
    }
    rich
}

/// Appends the words of `node` and below. The parser's own limit bounds the depth.
fn walk(node: &Value, rich: &mut RichText) {
    let kind = node["type"].as_str().unwrap_or_default();
    match kind {
        "linebreak" | "hardBreak" | "hard_break" => rich.text.push('\n'),
        "mention" => mention(node, rich),
        _ => {
            if let Some(text) = node["text"].as_str() {
                rich.text.push_str(text);
            }
            let children = node["children"].as_array().or_else(|| node["content"].as_array());
            for child in children.into_iter().flatten() {
                walk(child, rich);
            }
            if matches!(kind, "paragraph" | "heading" | "codeBlock" | "code_block" | "listitem" | "quote") {
                rich.text.push('\n');
            }
        }
    }
}

fn mention(node: &Value, rich: &mut RichText) {
    let attributes = &node["attrs"];
    let shown =
        [&node["text"], &attributes["label"], &attributes["text"], &node["mentionName"], &attributes["id"]];
    let Some(shown) = shown.into_iter().find_map(Value::as_str) else {
        return;
    };
    rich.text.push_str(shown);
    let uri = &node["metadata"]["selection"]["selectionWithoutUuid"]["uri"];
    let path = ["fsPath", "_fsPath", "path", "external"].iter().find_map(|key| uri[*key].as_str());
    let kind = match node["typeaheadType"].as_str().or_else(|| attributes["type"].as_str()) {
        Some("file") => AttachmentKind::File,
        Some("folder") => AttachmentKind::Folder,
        Some("doc" | "docs") => AttachmentKind::Doc,
        Some("link") => AttachmentKind::Link,
        Some("code" | "selection") => AttachmentKind::Selection,
        Some("commit") => AttachmentKind::Commit,
        Some("rule") => AttachmentKind::Rule,
        _ => AttachmentKind::Mention,
    };
    let mut attachment = Attachment::new(kind).titled(shown);
    attachment.path = path.map(str::to_owned);
    rich.mentions.push(attachment);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lexical_prosemirror_and_plain_text_are_read() {
        let lexical = r#"{"root":{"type":"root","children":[{"type":"paragraph","children":[{"type":"text","text":"look at "},
            {"type":"mention","text":"@a.rs","mentionName":"a.rs","typeaheadType":"file","metadata":{"selection":{"type":2,
            "selectionWithoutUuid":{"uri":{"fsPath":"/p/a.rs"}}}}},{"type":"linebreak"},{"type":"text","text":"now"}]},
            {"type":"paragraph","children":[{"type":"text","text":"second"}]}]}}"#;
        let rich = read(lexical);
        assert_eq!(rich.text, "look at @a.rs\nnow\nsecond");
        assert_eq!(rich.mentions[0].path.as_deref(), Some("/p/a.rs"));
        let prosemirror =
            r#"{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"fix it"}]}]}"#;
        assert_eq!(read(prosemirror).text, "fix it");
        assert_eq!(read("just words").text, "just words");
        assert_eq!(
            read(r#"{"root":{"type":"root","children":[{"type":"paragraph","children":[]}]}}"#).text,
            ""
        );
    }

    #[test]
    fn bottomless_nesting_does_not_overflow() {
        let deep = "{\"root\":".repeat(100_000);
        assert_eq!(read(&deep).text, deep);
    }
}
