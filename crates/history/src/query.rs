//! Which conversations are asked for, and in what order. Pure: whoever holds the sources applies it.

use std::cmp::{Ordering, Reverse};

use backscroll_index::Content;
use backscroll_index::codes::held;
use backscroll_index::query::Has;
use backscroll_model::{Conversation, Flag, Part, Summary, Surface, Workspace, named};
use jiff::Timestamp;

named! {
    /// The order of a listing.
    #[derive(Default)]
    pub enum Sort {
        /// Last changed first.
        #[default]
        Updated = "updated",
        /// Last begun first.
        Created = "created",
        /// By title.
        Title = "title",
        /// Most messages first.
        Messages = "messages",
        /// By workspace, then last changed first.
        Workspace = "workspace",
        /// Last changed last.
        Oldest = "oldest",
    }
}

/// A question about conversations. The default asks for everything that is not hidden.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The workspace: an absolute path that it is or lies in, or else a part of its path or host.
    pub workspace: Option<String>,
    /// The same folder behind its symbolic links: the editor stores the path as it was opened, the command line agent the
    /// real one.
    pub real_workspace: Option<String>,
    /// Changed at or after.
    pub since: Option<Timestamp>,
    /// Begun before.
    pub until: Option<Timestamp>,
    /// Held on one of these; empty means any.
    pub surfaces: Vec<Surface>,
    /// In this mode.
    pub mode: Option<String>,
    /// With a model whose name contains this. Needs messages where no index names a model.
    pub model: Option<String>,
    /// Using this tool, by canonical or raw name. Needs messages.
    pub tool: Option<String>,
    /// With this in the title, whatever the case.
    pub title: Option<String>,
    /// Holding all of these. Needs messages.
    pub has: Vec<Has>,
    /// Hidden ones too: empty, draft, archived, deleted, subagents.
    pub all: bool,
    /// The number of conversations to leave out.
    pub offset: usize,
    /// The maximum number of conversations.
    pub limit: Option<usize>,
    /// In this order.
    pub sort: Sort,
}

impl Query {
    /// Whether the answer depends on messages, not on summaries alone.
    pub fn needs_messages(&self) -> bool {
        self.tool.is_some() || !self.has.is_empty() || self.model.is_some()
    }

    /// Whether the answer for this one conversation depends on its messages.
    pub fn needs_messages_of(&self, summary: &Summary) -> bool {
        self.tool.is_some() || !self.has.is_empty() || (self.model.is_some() && summary.models.is_empty())
    }

    /// Whether `summary` is asked for, as far as it can tell.
    pub fn wants(&self, summary: &Summary) -> bool {
        (self.all || !summary.flags.iter().any(|flag| hidden(*flag)))
            && self.wants_times(summary)
            && (self.surfaces.is_empty() || self.surfaces.contains(&summary.surface))
            && (self.workspace.is_none() || self.workspaces().any(|asked| is_in(summary, asked)))
            && asked_is(self.mode.as_deref(), summary.mode.as_deref(), str::eq_ignore_ascii_case)
            && asked_is(self.title.as_deref(), summary.title.as_deref(), |asked, title| {
                contains(title, asked)
            })
            && self.model.as_deref().is_none_or(|asked| {
                summary.models.is_empty() || summary.models.iter().any(|model| contains(model, asked))
            })
    }

    /// The spellings of the workspace, any of which will do.
    pub(crate) fn workspaces(&self) -> impl Iterator<Item = &str> {
        self.workspace.iter().chain(&self.real_workspace).map(String::as_str)
    }

    /// Whether `conversation` holds what is asked for.
    pub fn wants_content(&self, conversation: &Conversation) -> bool {
        let parts = || conversation.messages.iter().flat_map(|message| &message.parts);
        self.wants_model_of(conversation)
            && self.tool.as_deref().is_none_or(|asked| {
                parts().any(
                    |part| matches!(part, Part::ToolCall(call) if is_tool(asked, &call.name, &call.raw_name)),
                )
            })
            && self.holds_all(conversation.messages.iter().fold(0, |bits, message| bits | held(message)))
    }

    fn holds_all(&self, bits: i64) -> bool {
        self.has.iter().all(|has| bits & has.bit() != 0)
    }

    /// The same, by what an index has of the conversation.
    pub(crate) fn wants_indexed(&self, content: &Content) -> bool {
        let is_model = |asked: &str| content.models.iter().any(|model| contains(model, asked));
        let is_used = |asked: &str| content.tools.iter().any(|(name, raw)| is_tool(asked, name, raw));
        self.model.as_deref().is_none_or(is_model)
            && self.tool.as_deref().is_none_or(is_used)
            && self.holds_all(content.holds)
    }

    /// Puts `summaries` into the asked order. Equal ones stand by id, so that the order never depends on the run.
    pub fn sort(&self, summaries: &mut [Summary]) {
        summaries.sort_by(|a, b| self.sort.compare(a, b).then_with(|| a.id.cmp(&b.id)));
    }

    /// A conversation is wanted if the time from its beginning to its last change meets the asked time. One
    /// without any time is not.
    fn wants_times(&self, summary: &Summary) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let times = || [summary.created_at, summary.updated_at].into_iter().flatten();
        let (Some(first), Some(last)) = (times().min(), times().max()) else {
            return false;
        };
        self.since.is_none_or(|since| last >= since) && self.until.is_none_or(|until| first < until)
    }

    fn wants_model_of(&self, conversation: &Conversation) -> bool {
        self.model.as_deref().is_none_or(|asked| {
            let said = conversation.messages.iter().filter_map(|message| message.model.as_ref());
            let mut models = conversation.summary.models.iter().chain(said);
            models.any(|model| contains(model, asked))
        })
    }
}

impl Sort {
    fn compare(self, a: &Summary, b: &Summary) -> Ordering {
        match self {
            Self::Updated => Reverse(a.recency()).cmp(&Reverse(b.recency())),
            Self::Oldest => a.recency().cmp(&b.recency()),
            Self::Created => Reverse(a.created_at).cmp(&Reverse(b.created_at)),
            Self::Messages => Reverse(a.messages).cmp(&Reverse(b.messages)),
            Self::Title => named_first(a.title.as_deref(), b.title.as_deref()),
            Self::Workspace => {
                let path =
                    |summary: &Summary| summary.workspace.as_ref().map(|workspace| workspace.path.clone());
                named_first(path(a).as_deref(), path(b).as_deref()).then_with(|| Self::Updated.compare(a, b))
            }
        }
    }
}

/// By name, whatever the case; those without a name last.
fn named_first(a: Option<&str>, b: Option<&str>) -> Ordering {
    let key = |name: Option<&str>| (name.is_none(), name.map(str::to_lowercase));
    key(a).cmp(&key(b))
}

fn is_in(summary: &Summary, asked: &str) -> bool {
    let workspace = summary.workspace.as_ref();
    workspace
        .is_some_and(|workspace| Workspace::answers_to(&workspace.path, workspace.remote.as_deref(), asked))
}

/// Whether nothing is asked, or `matches` holds between what is asked and what is there.
fn asked_is(asked: Option<&str>, there: Option<&str>, matches: impl Fn(&str, &str) -> bool) -> bool {
    asked.is_none_or(|asked| there.is_some_and(|there| matches(asked, there)))
}

/// Whether `part` stands in `text`, whatever the case.
pub(crate) fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// Whether `asked` names the tool: by canonical or raw name, or the beginning of `mcp:<server>:<tool>`.
fn is_tool(asked: &str, name: &str, raw_name: &str) -> bool {
    let asked = asked.trim_end_matches(':');
    let is_server = || {
        let beginning = name.get(..asked.len()).filter(|_| asked_is_mcp(asked));
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(asked))
            && name[asked.len()..].starts_with(':')
    };
    asked.eq_ignore_ascii_case(name) || asked.eq_ignore_ascii_case(raw_name) || is_server()
}

fn asked_is_mcp(asked: &str) -> bool {
    asked.split(':').next().is_some_and(|first| first.eq_ignore_ascii_case("mcp"))
}

/// Whether conversations with this flag are left out unless all are asked for.
fn hidden(flag: Flag) -> bool {
    match flag {
        Flag::Empty | Flag::Draft | Flag::Archived | Flag::Deleted | Flag::Subagent => true,
        Flag::BestOfN | Flag::Worktree | Flag::Background => false,
    }
}
