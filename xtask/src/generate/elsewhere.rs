//! What lies outside of the global database: CLI chats, transcripts, old chat tabs.

use backscroll_fixtures::{ChatTab, CliChat, Composer, Dialect, Era, Speaks, Transcript, WorkspaceFolder};
use serde_json::json;

use crate::chance::Chance;
use crate::words::Words;

pub(super) fn cli_chat(words: &Words, chance: &mut Chance, path: &str) -> CliChat {
    let name = words.prose(chance, 24);
    talk(CliChat::new(path, &chance.uuid()).named(name.trim()), words, chance, path)
}

/// A session of so many turns: a prompt, a thought, a call and an answer each.
pub(super) fn long_cli_chat(words: &Words, chance: &mut Chance, path: &str, turns: usize) -> CliChat {
    let mut chat = CliChat::new(path, "10000000-0000-4000-8000-000000000000").named("The long one");
    for turn in 0..turns {
        let file = format!("{path}/src/file_{turn}.rs");
        chat = chat
            .user(&words.prose(chance, 120))
            .thinking(&words.prose(chance, 200))
            .tool("Read", json!({ "path": file }), json!(words.code(chance, 400)))
            .assistant(&words.prose(chance, 300));
    }
    chat
}

/// A session of so many turns that are nothing but a prompt and an answer.
pub(super) fn plain_cli_chat(words: &Words, chance: &mut Chance, path: &str, turns: usize) -> CliChat {
    let chat = CliChat::new(path, "20000000-0000-4000-8000-000000000000").named("The plain one");
    (0..turns).fold(chat, |chat, _| chat.user(&words.prose(chance, 120)).assistant(&words.prose(chance, 300)))
}

pub(super) fn transcript(words: &Words, chance: &mut Chance, path: &str) -> Transcript {
    let dialect = *chance.pick(&[Dialect::Text, Dialect::FlatLines, Dialect::Lines, Dialect::Lines]);
    talk(Transcript::new(path, &chance.uuid()).dialect(dialect), words, chance, path)
}

/// Chat tabs, a composer inside of the workspace, prompts and generations.
pub(super) fn old_chats(words: &Words, chance: &mut Chance, mut folder: WorkspaceFolder) -> WorkspaceFolder {
    for _ in 0..4 {
        let tab = ChatTab::new(&chance.uuid()).titled(words.prose(chance, 20).trim());
        let (question, answer) = (words.prose(chance, 150), words.prose(chance, 900));
        folder = folder.chat_tab(tab.user(&question).assistant(&answer)).prompt(&question);
    }
    let composer =
        talk(Composer::new(chance.uuid()).era(Era::Inline045), words, chance, "/home/dev/projects/old");
    folder.inline(&composer).generation(&chance.uuid(), 1_716_731_818_000, "made long ago")
}

fn talk<T: Speaks>(mut talk: T, words: &Words, chance: &mut Chance, path: &str) -> T {
    for _ in 0..=chance.size(4.0, 0.9).min(60) {
        let (asked, thought, answered) =
            (chance.size(150.0, 1.0), chance.size(300.0, 0.8), chance.size(500.0, 1.0));
        talk = talk.user(&words.prose(chance, asked)).thinking(&words.prose(chance, thought));
        for _ in 0..chance.below(5) {
            let size = chance.size(1_500.0, 1.2);
            let file = format!("{path}/src/file_{}.rs", chance.below(90));
            talk = talk.tool("Read", json!({ "path": file }), json!(words.code(chance, size)));
        }
        talk = talk.assistant(&words.prose(chance, answered));
    }
    talk
}
