//! Prompts that were stored apart from conversations: what no conversation has of them is the last trace of a lost one.

use backscroll_index::Said;
use backscroll_model::{Conversation, Finding, FindingKind, Flag, Fragment, FragmentKind, Message};

/// What is left of the prompts of a workspace beside what was `said` in its conversations; `None` if all of it was.
/// Where the workspace has any conversation with messages, what is left was deleted.
pub(crate) fn left_over(mut prompts: Fragment, mut said: Said) -> Option<Fragment> {
    if said.has_messages {
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
    let mut said = Said::default();
    said.add(whole.messages.iter().chain(&whole.orphans));
    let at = prompts.origin().clone();
    whole.findings.extend(prompts.findings);
    let unsaid = prompts.messages.into_iter().filter(|prompt| !said.has(prompt));
    let unsaid: Vec<Message> = unsaid.collect();
    if unsaid.is_empty() {
        return;
    }
    let says = format!("{} prompts stand in the prompt history alone", unsaid.len());
    whole.findings.push(Finding::new(FindingKind::OrphanMessage, at, says));
    whole.coverage.orphaned += unsaid.len() as u64;
    whole.orphans.extend(unsaid);
}
