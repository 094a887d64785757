//! Files as the editor itself kept them at moments of a conversation: its checkpoints.
//!
//! They may be larger than all messages together, so a conversation is loaded without them; a reader of files asks for
//! them ([`Source::kept_files`](crate::Source::kept_files)).

use crate::MessageId;

/// One state of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptState {
    /// The file, as stored.
    pub path: String,
    /// What it held; `None` if there was no such file.
    pub text: Option<String>,
}

/// On which side of a message a checkpoint was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Before it did anything.
    Before,
    /// When it had done everything.
    After,
}

/// A moment at which files were kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The message it was made at.
    pub message: MessageId,
    /// Before or after it.
    pub side: Side,
    /// The files that were kept, as numbers of [`KeptFiles::states`].
    pub states: Vec<usize>,
}

/// Everything that checkpoints kept for one conversation. A state that many of them share is here once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptFiles {
    /// The states, each different from the others.
    pub states: Vec<KeptState>,
    /// The checkpoints, in no order but that of [`Side`] within one message.
    pub checkpoints: Vec<Checkpoint>,
}

impl KeptFiles {
    /// Leaves only the checkpoints that are `wanted`, and only the states that these need.
    pub fn retain(&mut self, wanted: impl FnMut(&Checkpoint) -> bool) {
        self.checkpoints.retain(wanted);
        let mut is_needed = vec![false; self.states.len()];
        for number in self.checkpoints.iter().flat_map(|checkpoint| &checkpoint.states) {
            if let Some(needed) = is_needed.get_mut(*number) {
                *needed = true;
            }
        }
        let mut left = 0;
        let mut numbers = Vec::with_capacity(is_needed.len());
        for needed in &is_needed {
            numbers.push(needed.then_some(left));
            left += usize::from(*needed);
        }
        let mut needed = is_needed.into_iter();
        self.states.retain(|_| needed.next().unwrap_or(false));
        for checkpoint in &mut self.checkpoints {
            let renumbered = checkpoint.states.iter().filter_map(|number| numbers.get(*number).copied()?);
            checkpoint.states = renumbered.collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_needs_goes() {
        let state = |text: &str| KeptState { path: "a".into(), text: Some(text.into()) };
        let checkpoint = |message: &str, states: &[usize]| Checkpoint {
            message: MessageId::new(message),
            side: Side::After,
            states: states.to_vec(),
        };
        let mut kept = KeptFiles {
            states: vec![state("0"), state("1"), state("2")],
            checkpoints: vec![checkpoint("m1", &[0, 1]), checkpoint("m2", &[2, 1, 9])],
        };
        kept.retain(|checkpoint| checkpoint.message.as_str() == "m2");
        assert_eq!(kept.states, [state("1"), state("2")]);
        assert_eq!(kept.checkpoints, [checkpoint("m2", &[1, 0])]);
    }
}
