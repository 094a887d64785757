//! Everything that stood beside a message's words: files, selections, terminals, docs, links, rules, images.
//!
//! Cursor keeps each kind in a list of its own, in `context`, on the bubble itself or in
//! `messageRequestContext`, with element shapes that changed over the years. One table says which list holds
//! what; elements are read by whatever fields they have, and one with none of them is kept as it stands.

use std::borrow::Cow;

use backscroll_model::{Attachment, AttachmentKind, Image, LineRange, Part};
use serde_json::value::RawValue;

use crate::media_type::media_type;
use crate::uri::place_of;
use crate::wire_json::{Entries, Int, List, Text, elements, string, wire};

/// Lists under their keys, as a wire struct collected them.
type Lists<'a> = [(Cow<'a, str>, &'a RawValue)];

/// Whether `key` names a list that holds attachments or images.
pub(crate) fn is_list(key: &str) -> bool {
    kind_of(key).is_some() || matches!(key, "selectedImages" | "images" | "selectedVideos" | "mentions")
}

fn kind_of(key: &str) -> Option<AttachmentKind> {
    use AttachmentKind as Kind;
    Some(match key {
        "fileSelections"
        | "attachedFileCodeChunksUris"
        | "attachedFileCodeChunksMetadataOnly"
        | "deletedFiles"
        | "recentlyViewedFiles" => Kind::File,
        "selections" | "quotes" | "attachedCodeChunks" | "codebaseContextChunks" => Kind::Selection,
        "folderSelections" | "attachedFolders" | "attachedFoldersNew" | "attachedFoldersListDirResults" => {
            Kind::Folder
        }
        "terminalSelections" | "terminalFiles" | "interpreterResults" => Kind::Terminal,
        "selectedDocs" | "selectedDocuments" | "documentationSelections" | "docsReferences" => Kind::Doc,
        "externalLinks" | "webReferences" | "aiWebSearchResults" => Kind::Link,
        "cursorRules" => Kind::Rule,
        "cursorCommands" => Kind::Command,
        "selectedCommits" | "commits" => Kind::Commit,
        "selectedPullRequests" | "pullRequests" => Kind::PullRequest,
        "gitPRDiffSelections"
        | "gitDiffs"
        | "diffsSinceLastApply"
        | "diffHistories"
        | "fileDiffTrajectories"
        | "humanChanges"
        | "diffsForCompressingFiles" => Kind::Diff,
        "composers" | "summarizedComposers" | "pastChats" => Kind::Conversation,
        "notepads" | "knowledgeItems" => Kind::Note,
        "multiFileLinterErrors" | "approximateLintErrors" | "lints" => Kind::Lints,
        "subagentSelections" => Kind::Mention,
        "browserSelections"
        | "uiElementSelections"
        | "extraContext"
        | "consoleLogs"
        | "projectLayouts"
        | "contextPieces"
        | "editTrailContexts"
        | "recentLocationsHistory"
        | "currentFileLocationData"
        | "gitStatusRaw"
        | "mcpDescriptors" => Kind::Context,
        _ => return None,
    })
}

wire! {
    /// An element of any such list.
    struct WireItem<'a> {
        uri: Option<&'a RawValue> = "uri" | "folderUri" | "fileUri",
        path: Text<'a> = "path" | "relativeWorkspacePath" | "relativePath" | "filePath" | "fileName" | "directoryPath",
        url: Text<'a> = "url" | "link" | "prUrl" | "href",
        name: Text<'a> = "name" | "title" | "label" | "filename" | "message" | "branchName",
        id: Text<'a> = "sha" | "hash" | "commitHash" | "composerId" | "docId" | "identifier",
        number: Int = "number" | "prNumber",
        raw_text: Text<'a> = "rawText",
        text: Text<'a> = "text" | "content" | "contents" | "diff" | "body" | "summary" | "markdown" | "description" | "chunk",
        lines: List<&'a RawValue> = "lines",
        range: WireRange = "range",
        line: Int = "lineNumber" | "startLineNumber",
        description: Text<'a> = "taskSpecificDescription",
        media_type: Text<'a> = "mimeType" | "media_type" | "mediaType",
        data: Text<'a> = "data" | "base64",
    }
}

wire! {
    struct WireRange {
        first: Int = "selectionStartLineNumber" | "startLineNumber",
        last: Int = "positionLineNumber" | "endLineNumber" | "endLineNumberInclusive",
    }
}

impl WireRange {
    fn lines(&self) -> Option<LineRange> {
        let (first, last) = (self.first.count()?, self.last.count()?);
        Some(LineRange { first: first.min(last), last: first.max(last) })
    }
}

/// Adds what the lists hold to `parts`, leaving out what is there already.
pub(crate) fn add(lists: &Lists<'_>, parts: &mut Vec<Part>) {
    for (key, list) in lists {
        match &**key {
            "selectedImages" | "images" | "selectedVideos" => {
                each(list, |item| parts.push(image(item).into()));
            }
            "mentions" => mentions(list, parts),
            key => {
                let Some(kind) = kind_of(key) else { continue };
                each(list, |item| {
                    let Some(mut attachment) = attachment(kind, item) else {
                        return;
                    };
                    if key == "deletedFiles" {
                        attachment.title.get_or_insert_with(|| "deleted".to_owned());
                    }
                    push_new(attachment, parts);
                });
            }
        }
    }
}

/// Calls `with` for every element of a list, or for the value itself if it is none.
fn each(list: &RawValue, mut with: impl FnMut(&RawValue)) {
    if list.get().starts_with('[') {
        elements(list).into_iter().for_each(with);
    } else {
        with(list);
    }
}

/// Adds an attachment unless one of the same file and stretch is there.
pub(crate) fn push_new(attachment: Attachment, parts: &mut Vec<Part>) {
    let same = |part: &Part| {
        matches!(part, Part::Attachment(a) if a.path == attachment.path && a.lines == attachment.lines
            && a.title == attachment.title && (a.text == attachment.text || attachment.text.is_none()))
    };
    if !parts.iter().any(same) {
        parts.push(Part::Attachment(Box::new(attachment)));
    }
}

fn attachment(kind: AttachmentKind, item: &RawValue) -> Option<Attachment> {
    let mut attachment = Attachment::new(kind);
    if let Some(text) = string(item) {
        let is_place = matches!(kind, AttachmentKind::File | AttachmentKind::Folder | AttachmentKind::Link);
        *(if is_place { &mut attachment.path } else { &mut attachment.text }) = Some(text);
        return Some(attachment);
    }
    if matches!(item.get(), "null" | "{}" | "[]" | "\"\"" | "true" | "false") {
        return None;
    }
    let wire: WireItem<'_> = serde_json::from_str(item.get()).ok()?;
    let bare = serde_json::from_str::<crate::uri::WireUri<'_>>(item.get())
        .ok()
        .filter(|u| u.scheme.filled().is_some());
    attachment.path = wire
        .uri
        .and_then(place_of)
        .or_else(|| bare.and_then(|_| place_of(item)))
        .map(|place| place.path)
        .filter(|path| !path.is_empty())
        .or_else(|| wire.path.owned())
        .or_else(|| wire.url.owned());
    let number = wire.number.0.map(|n| format!("#{n}"));
    attachment.title = wire.name.owned().or(number).or_else(|| wire.id.owned());
    attachment.lines = wire.range.lines().or_else(|| {
        wire.line.count().filter(|_| wire.lines.0.is_empty()).map(|n| LineRange { first: n, last: n })
    });
    attachment.text = wire.raw_text.owned().or_else(|| wire.text.owned()).or_else(|| joined(&wire.lines.0));
    let is_hollow = attachment.path.is_none() && attachment.title.is_none() && attachment.text.is_none();
    if is_hollow {
        attachment.text = Some(item.get().to_owned());
    }
    Some(attachment)
}

fn joined(lines: &[&RawValue]) -> Option<String> {
    let lines: Vec<String> = lines.iter().filter_map(|line| string(line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn image(item: &RawValue) -> Image {
    if let Some(text) = string(item) {
        return Image { path: Some(text), ..Image::default() };
    }
    let wire: WireItem<'_> = serde_json::from_str(item.get()).unwrap_or_default();
    let path = wire
        .path
        .owned()
        .or_else(|| wire.uri.and_then(place_of).map(|p| p.path))
        .or_else(|| wire.url.owned());
    let media_type =
        wire.media_type.owned().or_else(|| path.as_deref().and_then(media_type).map(str::to_owned));
    Image { path, media_type, data: wire.data.owned(), description: wire.description.owned() }
}

/// `mentions` repeats the lists as `{list: {key: […]}}`; only what no list has is added.
fn mentions(value: &RawValue, parts: &mut Vec<Part>) {
    let by_list: Entries<Entries<&RawValue>> = serde_json::from_str(value.get()).unwrap_or_default();
    for (list, entries) in by_list.0 {
        let kind = kind_of(&list).unwrap_or(AttachmentKind::Mention);
        for (key, _) in entries.0 {
            let path = crate::uri::place(&key).map_or(key, |place| place.path);
            let known = parts.iter().any(|part| match part {
                Part::Attachment(a) => {
                    let ends = |text: &Option<String>| {
                        text.as_deref().is_some_and(|t| t == path || t.ends_with(&path))
                    };
                    ends(&a.path) || ends(&a.title) || a.kind == kind
                }
                Part::Image(_) => list == "selectedImages",
                _ => false,
            });
            if !known {
                push_new(Attachment::new(kind).at(path), parts);
            }
        }
    }
}
