//! The transcripts below `projects`, found by where they lie; their content is read elsewhere.

use std::path::{Path, PathBuf};

use backscroll_cursor_format::transcript::{Dialect, Head, head};
use backscroll_model::{ConversationId, Finding, Origin};

use crate::folder_listing::{beginning, children, closed, closed_place, folders, name_of};
use crate::project_folder::ProjectFolder;

/// So much of a transcript is read first.
pub(crate) const FIRST_PIECE: usize = 64 * 1024;

/// One transcript.
#[derive(Debug, Clone)]
pub(crate) struct TranscriptFile {
    pub(crate) path: PathBuf,
    pub(crate) id: ConversationId,
    pub(crate) dialect: Dialect,
    /// The conversation that started it, by the folder that it lies in.
    pub(crate) parent: Option<ConversationId>,
    pub(crate) project: Option<ProjectFolder>,
}

impl TranscriptFile {
    /// The transcript at `path`, if its ending is that of one.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        let dialect = Dialect::of_extension(&path.extension()?.to_string_lossy())?;
        Some(Self::in_dialect(path, dialect))
    }

    /// The transcript at `path`, whatever it is called.
    pub(crate) fn in_dialect(path: &Path, dialect: Dialect) -> Self {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let folder = path.parent().unwrap_or(Path::new(""));
        let parent = (name_of(folder) == "subagents").then(|| folder.parent().map(name_of)).flatten();
        Self {
            path: path.to_owned(),
            id: ConversationId::new(stem),
            dialect,
            parent: parent.map(ConversationId::new),
            project: ProjectFolder::around(path),
        }
    }

    pub(crate) fn origin(&self) -> Origin {
        Origin::new(self.dialect.layer(), self.path.as_path(), "file")
    }

    /// What the beginning of the file tells.
    pub(crate) fn head(&self) -> std::io::Result<Head> {
        Ok(self.head_with_text()?.0)
    }

    /// The same with the first piece of the file. More of it is read only where no prompt stands in that.
    pub(crate) fn head_with_text(&self) -> std::io::Result<(Head, String)> {
        const PIECES: [u64; 3] = [FIRST_PIECE as u64, 1024 * 1024, 16 * 1024 * 1024];
        let (mut told, mut text) = (Head::default(), None);
        for most in PIECES {
            let (bytes, is_all) = beginning(&self.path, most)?;
            told = head(self.dialect, &bytes);
            text.get_or_insert_with(|| String::from_utf8_lossy(&bytes).into_owned());
            if is_all || told.title.is_some() {
                break;
            }
        }
        Ok((told, text.unwrap_or_default()))
    }
}

/// Every transcript below a `projects` folder, also those that lie in no project.
pub(crate) fn below_projects(projects: &Path) -> Vec<TranscriptFile> {
    let of_projects = folders(projects).into_iter().map(|project| project.join("agent-transcripts"));
    let bare = projects.join("agent-transcripts");
    of_projects.chain([bare]).flat_map(|folder| below(&folder)).collect()
}

/// What below a `projects` folder may hold transcripts and cannot be looked into.
pub(crate) fn closed_below_projects(projects: &Path) -> Vec<Finding> {
    let mut findings = closed(projects);
    for folder in folders(projects).into_iter().map(|project| project.join("agent-transcripts")) {
        findings.extend(closed_place(&folder));
        findings.extend(closed(&folder));
    }
    findings
}

/// Every transcript below one `agent-transcripts` folder.
pub(crate) fn below(folder: &Path) -> Vec<TranscriptFile> {
    let mut found = Vec::new();
    for path in children(folder) {
        if !path.is_dir() {
            found.extend(TranscriptFile::at(&path));
            continue;
        }
        let inside = children(&path).into_iter().chain(children(&path.join("subagents")));
        found.extend(inside.filter(|path| path.is_file()).filter_map(|path| TranscriptFile::at(&path)));
    }
    found
}
