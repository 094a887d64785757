//! Prompts that were stored apart from conversations: what no conversation has of them is the last trace of a lost one.

use std::collections::HashSet;

use backscroll_model::{
    Conversation, Finding, FindingKind, Flag, Fragment, FragmentKind, Message, Role, bare,
};

/// The words of prompts without white space, which stores treat differently.
#[derive(Debug, Default)]
pub(crate) struct SaidWords(HashSet<String>);

impl SaidWords {
    /// Adds the user's words in `messages`.
    pub(crate) fn add<'a>(&mut self, messages: impl IntoIterator<Item = &'a Message>) {
        let prompts = messages.into_iter().filter(|message| message.role == Role::User);
        self.0.extend(prompts.map(|message| bare(&message.text())));
    }

    /// Whether a prompt is among them, or now is: one that is stored twice counts once.
    fn has_or_add(&mut self, message: &Message) -> bool {
        !self.0.insert(bare(&message.text()))
    }
}

/// What is left of the prompts of a workspace beside what was `said` in its conversations; `None` if all of it was.
/// `has_others` says whether the workspace has any conversation with messages: then what is left was deleted.
pub(crate) fn left_over(mut prompts: Fragment, mut said: SaidWords, has_others: bool) -> Option<Fragment> {
    if has_others {
        prompts.messages.retain(|message| !message.parts.is_empty() && !said.has_or_add(message));
        prompts.count_messages();
        prompts.summary.messages = Some(prompts.coverage.listed);
        prompts.summary.flags.insert(Flag::Deleted);
        let first = prompts.messages.first()?.text();
        let line = first.lines().map(str::trim).find(|line| !line.is_empty());
        prompts.summary.title = line.map(str::to_owned).or(prompts.summary.title);
    }
    prompts.kind = FragmentKind::Account;
    Some(prompts)
}

/// Adds the prompts of a session's own history that none of its messages has. Nothing says where they belong, so they
/// follow as orphans.
pub(super) fn add_unsaid(whole: &mut Conversation, prompts: Fragment) {
    let mut said = SaidWords::default();
    said.add(whole.messages.iter().chain(&whole.orphans));
    let at = prompts.origin().clone();
    whole.findings.extend(prompts.findings);
    let unsaid = prompts.messages.into_iter().filter(|prompt| !said.0.contains(&bare(&prompt.text())));
    let unsaid: Vec<Message> = unsaid.collect();
    if unsaid.is_empty() {
        return;
    }
    let says = format!("{} prompts stand in the prompt history alone", unsaid.len());
    whole.findings.push(Finding::new(FindingKind::OrphanMessage, at, says));
    whole.coverage.orphaned += unsaid.len() as u64;
    whole.orphans.extend(unsaid);
}
