//! What lies in Cursor homes beside the stores and belongs to conversations wherever they were held: plans, and output of
//! tools that spilled into files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use backscroll_model::Conversation;

use crate::feed::stamp;
use crate::plans::Plans;
use crate::spilled_output;

/// Cursor homes (`.cursor` and its like), looked into only where a conversation names something in them.
#[derive(Debug, Clone, Default)]
pub(crate) struct CursorHomes {
    plans: Vec<Plans>,
    projects: Vec<PathBuf>,
}

impl CursorHomes {
    /// These homes.
    pub(crate) fn at(homes: &[PathBuf]) -> Self {
        Self {
            plans: homes.iter().map(|home| Plans::of_home(home)).collect(),
            projects: homes.iter().map(|home| home.join("projects")).collect(),
        }
    }

    /// The home that `place` lies directly in, where it is one of its known folders.
    pub(crate) fn around(place: &Path) -> Self {
        let home = place.parent().filter(|_| place.ends_with("chats") || place.ends_with("acp-sessions"));
        Self { plans: Vec::new(), projects: home.map(|home| home.join("projects")).into_iter().collect() }
    }

    /// The files of plans, each with its stamp.
    pub(crate) fn plan_files(&self) -> BTreeMap<String, u64> {
        let files = self.plans.iter().flat_map(Plans::files);
        files.map(|file| (file.to_string_lossy().into_owned(), stamp::file(&file))).collect()
    }

    /// Attaches to each message the plan that it made, and to each call the spilled output that it names.
    pub(crate) fn attach(&self, conversation: &mut Conversation) {
        spilled_output::attach_from(conversation, &self.projects);
        for plans in &self.plans {
            plans.attach(conversation);
        }
    }
}
