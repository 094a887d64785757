//! One conversation, whole: the fragments of every store that has it, merged. Must not list.

use std::collections::{HashMap, HashSet};

use backscroll_index::{ANY_PLAN, Beside, Located, Said};
use backscroll_model::{
    CatalogueEntry, Conversation, ConversationId, Fragment, FragmentKind, Layer, Message, RequestFact, Role,
    Scope, SourceError, SourceId, locked,
};

use crate::history::{AskError, History, TrackedRequests};
use crate::merge::{self, NeededTurns};

impl History {
    /// Everything that is known of one conversation, all layers merged.
    pub fn load(&self, id: &ConversationId) -> Result<Conversation, AskError> {
        self.stored(id).map(|stored| self.cleaned(stored))
    }

    /// The same as it is stored, for those who take the secrets out themselves: a lint names them.
    pub fn load_stored(&self, id: &ConversationId) -> Result<Conversation, AskError> {
        self.stored(id)
    }

    fn stored(&self, id: &ConversationId) -> Result<Conversation, AskError> {
        self.load_as_stored(id, &self.located(id)).map_err(|error| match error {
            AskError::Source(error) => AskError::Source(self.cleaned_error(error)),
            other => other,
        })
    }

    /// Takes the secrets out of one message of this conversation, where a cleaner takes them out.
    pub(crate) fn clean_message(&self, id: &ConversationId, message: &mut Message) {
        if let Some(cleaner) = self.cleaner() {
            cleaner.message(id, self.stamp(id), message, || self.stored(id).ok());
        }
    }

    /// The same, out of these places and as it is stored.
    pub(crate) fn load_as_stored(
        &self,
        id: &ConversationId,
        located: &[Located],
    ) -> Result<Conversation, AskError> {
        // A store that cannot be read may have something of any conversation.
        let mut troubles: Vec<SourceError> = self.unreadable().collect();
        let is_backup = |one: &&Located| self.sources()[one.source].id().is_backup;
        let (backups, live): (Vec<_>, Vec<_>) = located.iter().partition(is_backup);
        let mut fragments = Vec::new();
        for Located { source, entry } in live {
            match self.load_entry(*source, entry) {
                Ok(loaded) => fragments.extend(loaded),
                Err(error) => troubles.push(error),
            }
        }
        let has_messages = |fragments: &[Fragment]| fragments.iter().any(|one| !one.messages.is_empty());
        let mut merged = None;
        if has_messages(&fragments) {
            merged = merge::conversation(std::mem::take(&mut fragments));
        }
        let mut copies = Vec::new();
        for Located { source, entry } in backups {
            match self.load_backup(*source, entry, merged.as_ref()) {
                Ok(loaded) => copies.extend(loaded),
                Err(error) => troubles.push(error),
            }
        }
        // Where only backups have messages, these are the conversation; else they fill gaps.
        let is_account = |fragment: &Fragment| fragment.kind != FragmentKind::Evidence;
        if merged.is_none() && (has_messages(&copies) || !fragments.iter().any(is_account)) {
            fragments.append(&mut copies);
        }
        let mut merged = merged.or_else(|| merge::conversation(fragments));
        if let Some(whole) = &mut merged {
            for fragment in copies {
                merge::add_backup(whole, fragment);
            }
        }
        match (merged, troubles.pop()) {
            (Some(mut conversation), trouble) => {
                let troubles = trouble.into_iter().chain(troubles);
                conversation.findings.extend(troubles.map(|error| error.finding()));
                self.name_requests(&mut conversation);
                merge::settle_own_times(&mut conversation);
                merge::attribute(&mut conversation);
                self.attach_files(&mut conversation);
                Ok(conversation)
            }
            (None, Some(error)) => Err(error.into()),
            (None, None) => Err(AskError::NoMatch { asked: id.to_string() }),
        }
    }

    /// The same, with the files as checkpoints kept them, which may be many times as large.
    pub fn load_with_files(&self, id: &ConversationId) -> Result<Conversation, AskError> {
        self.stored_with_files(id).map(|stored| self.cleaned(stored))
    }

    /// The same as it is stored, for those who take the secrets out themselves: a lint names them.
    pub fn load_stored_with_files(&self, id: &ConversationId) -> Result<Conversation, AskError> {
        self.stored_with_files(id)
    }

    fn stored_with_files(&self, id: &ConversationId) -> Result<Conversation, AskError> {
        let mut conversation = self.stored(id)?;
        self.add_kept_files(&mut conversation);
        Ok(conversation)
    }

    /// Adds the files that checkpoints kept. Backups are asked only where no live place has any.
    fn add_kept_files(&self, conversation: &mut Conversation) {
        let located = self.located(&conversation.summary.id);
        for is_backup in [false, true] {
            for Located { source, entry } in &located {
                let source = &self.sources()[*source];
                if source.id().is_backup != is_backup || source.id().layer != Layer::IdeGlobal {
                    continue;
                }
                match source.load(entry, Scope::Files) {
                    Ok(loaded) => {
                        for fragment in loaded {
                            conversation.findings.extend(fragment.findings);
                            if !fragment.kept_files.checkpoints.is_empty() {
                                conversation.kept_files = fragment.kept_files;
                                return;
                            }
                        }
                    }
                    Err(error) => conversation.findings.push(error.finding()),
                }
            }
        }
    }

    /// What one store has: of a layer that gave its outline, the turns that the record beside it lacks.
    fn load_entry(&self, number: usize, entry: &CatalogueEntry) -> Result<Vec<Fragment>, SourceError> {
        let source = &self.sources()[number];
        let mut fragments = source.load(entry, Scope::Whole)?;
        if let Some(at) = fragments.iter().position(|fragment| fragment.outline.is_some()) {
            let record = fragments.iter().find(|fragment| fragment.layer() == Layer::IdeGlobal);
            let loaded = match merge::wanted_turns(&fragments[at], record) {
                NeededTurns::Nothing => Vec::new(),
                NeededTurns::Turns(turns) => source.load(entry, Scope::Turns(&turns))?,
                NeededTurns::All => source.load(entry, Scope::AllTurns)?,
            };
            for mut account in loaded {
                account.outline = fragments[at].outline.take();
                fragments[at] = account;
            }
        }
        if entry.kind == FragmentKind::Prompts {
            fragments = fragments.into_iter().filter_map(|prompts| self.left_over(prompts, entry)).collect();
        }
        Ok(fragments)
    }

    /// What a backup has, if it has any message that `known` lacks: reading ids costs less than reading messages.
    fn load_backup(
        &self,
        number: usize,
        entry: &CatalogueEntry,
        known: Option<&Conversation>,
    ) -> Result<Vec<Fragment>, SourceError> {
        if let Some(known) = known {
            let messages = known.messages.iter().chain(&known.orphans);
            let known: HashSet<&str> = messages
                .filter(|message| !message.parts.is_empty())
                .map(|message| message.id.as_str())
                .collect();
            let ids = self.sources()[number].load(entry, Scope::WithoutBodies)?;
            let mut messages =
                ids.iter().flat_map(|fragment| fragment.messages.iter().chain(&fragment.orphans));
            if !messages.any(|message| !known.contains(message.id.as_str())) {
                return Ok(Vec::new());
            }
        }
        let mut fragments = self.load_entry(number, entry)?;
        for fragment in &mut fragments {
            merge::mark_deleted(fragment);
            let messages = fragment.messages.iter_mut().chain(&mut fragment.orphans);
            messages.for_each(|message| message.deleted = true);
        }
        Ok(fragments)
    }

    /// What is left of stored prompts beside the conversations of their workspace.
    fn left_over(&self, prompts: Fragment, entry: &CatalogueEntry) -> Option<Fragment> {
        let mut said = Said::default();
        for Beside { id, stamp, said: known } in self.asked(|index| index.beside(&entry.id)) {
            said.add_all(known.unwrap_or_else(|| self.said_in(&id, stamp)));
        }
        merge::left_over(prompts, said)
    }

    /// What the user said in the conversation whose head has this stamp. What cannot be read is reported when the conversation is
    /// loaded; a prompt in it is then shown twice, which is better than not at all.
    fn said_in(&self, id: &ConversationId, stamp: i64) -> Said {
        if let Some((_, said)) = locked(&self.said).get(id).filter(|(of, _)| *of == stamp) {
            return said.clone();
        }
        let (mut said, mut is_read) = (Said::default(), true);
        for other in self.located(id) {
            is_read &= self.add_said(other.source, &other.entry, &mut said).is_ok();
        }
        if is_read {
            locked(&self.said).insert(id.clone(), (stamp, said.clone()));
        }
        said
    }

    /// Adds what the user said in one store of a conversation.
    fn add_said(&self, number: usize, entry: &CatalogueEntry, said: &mut Said) -> Result<(), SourceError> {
        let source = &self.sources()[number];
        if entry.kind != FragmentKind::Account || source.id().is_backup {
            return Ok(());
        }
        for fragment in source.load(entry, Scope::WithoutBodies)? {
            let is_bodiless = |message: &&Message| message.parts.is_empty() && message.role == Role::User;
            let wanted: HashSet<&str> =
                fragment.messages.iter().filter(is_bodiless).map(|message| message.id.as_str()).collect();
            said.add(fragment.messages.iter().chain(&fragment.orphans));
            if !wanted.is_empty() {
                for fragment in source.load(entry, Scope::Messages(&wanted))? {
                    said.add(&fragment.messages);
                }
            }
        }
        Ok(())
    }

    /// Names the models of messages that name none by what was tracked of their requests.
    fn name_requests(&self, conversation: &mut Conversation) {
        let unnamed = merge::unnamed_requests(conversation);
        if unnamed.is_empty() {
            return;
        }
        let (tracked, troubles) = self.requests.get_or_init(|| self.tracked_requests());
        let known = unnamed.iter().filter_map(|id| tracked.get(*id)).flatten().cloned().collect();
        conversation.findings.extend(troubles.iter().cloned());
        merge::add_requests(conversation, known);
    }

    /// What was tracked of requests that name no conversation.
    fn tracked_requests(&self) -> TrackedRequests {
        let (mut tracked, mut troubles) = (HashMap::<String, Vec<RequestFact>>::new(), Vec::new());
        for Located { source, entry } in self.located(&ConversationId::new("")) {
            match self.sources()[source].load(&entry, Scope::Whole) {
                Ok(fragments) => {
                    for request in fragments.into_iter().flat_map(|fragment| fragment.facts.requests) {
                        tracked.entry(request.request_id.clone()).or_default().push(request);
                    }
                }
                Err(error) => troubles.push(error.finding()),
            }
        }
        (tracked, troubles)
    }

    /// Attaches the plans and the spilled output that messages name.
    fn attach_files(&self, conversation: &mut Conversation) {
        let mut names = merge::text_files(conversation);
        if merge::may_have_plans(conversation) {
            let plans = self.plans.get_or_init(|| self.asked(|index| index.entries_ending(ANY_PLAN)));
            names.extend(plans.iter().rev().map(|plan| plan.as_str().to_owned()));
        }
        // From the last one mentioned, so that those behind one call keep their order.
        for name in names.iter().rev() {
            let located = self.located(&ConversationId::new(name));
            let is_file = |one: &&Located| self.sources()[one.source].id().kind == SourceId::HOME_FILES;
            let Some(Located { source, entry }) = located.iter().rfind(is_file) else { continue };
            match self.sources()[*source].load(entry, Scope::Whole) {
                Ok(fragments) => {
                    let attach = if merge::is_plan(name) { merge::attach_plan } else { merge::attach_output };
                    for fragment in fragments {
                        attach(conversation, fragment);
                    }
                }
                Err(error) => conversation.findings.push(error.finding()),
            }
        }
    }
}
