//! Checkpoints come only when asked for, from the first store that has any.

use backscroll_fixtures::{recorded, recorded_named};
use backscroll_model::{ConversationId, KeptFiles};

use crate::home::{all, ask, load};

const RECORDED: &str = "66cf7298-96d8-4400-aa73-d7f329a4fc82";

#[test]
fn a_conversation_is_loaded_without_its_checkpoints_unless_asked() {
    let copy = recorded_named("global-null-bubbles-big-checkpoints").unwrap().copy_to_temp().unwrap();
    ask(copy.path(), |history| {
        assert_eq!(load(history, RECORDED).kept_files, KeptFiles::default());
        let whole = history.load_with_files(&ConversationId::new(RECORDED)).unwrap();
        assert_eq!((whole.kept_files.checkpoints.len(), whole.kept_files.states.len()), (57, 36));
        let messages: Vec<&str> = whole.messages.iter().map(|message| message.id.as_str()).collect();
        let mut named = whole.kept_files.checkpoints.iter().map(|checkpoint| checkpoint.message.as_str());
        assert!(named.all(|message| messages.contains(&message)), "each belongs to a message");
    });
}

#[test]
fn every_recorded_conversation_can_be_asked() {
    let mut checkpoints = 0;
    for recorded in recorded().unwrap() {
        let copy = recorded.copy_to_temp().unwrap();
        ask(copy.path(), |history| {
            for summary in all(history) {
                let findings = load(history, summary.id.as_str()).findings.len();
                let whole = history.load_with_files(&summary.id).unwrap();
                checkpoints += whole.kept_files.checkpoints.len();
                assert_eq!(whole.findings.len(), findings, "{}: {:?}", recorded.name, whole.findings.last());
            }
        });
    }
    assert!(checkpoints > 110, "{checkpoints}");
}
