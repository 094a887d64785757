//! What lies outside of the global database: CLI chats, SDK stores, transcripts, old chat tabs, backups and profiles.

use backscroll_fixtures::{
    ChatTab, CliChat, Composer, Dialect, Era, SdkAgent, SdkStore, Speaks, StateDatabase, Transcript,
    WorkspaceFolder,
};
use serde_json::json;

use crate::chance::Chance;
use crate::words::Words;

pub(super) fn cli_chat(words: &Words, chance: &mut Chance, path: &str) -> CliChat {
    let name = words.prose(chance, 24);
    talk(CliChat::new(path, &chance.uuid()).named(name.trim()), words, chance, path)
}

/// A session of `turns` turns: a prompt, a thought, a call and an answer each.
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

/// A session of `turns` turns that are only a prompt and an answer.
pub(super) fn plain_cli_chat(words: &Words, chance: &mut Chance, path: &str, turns: usize) -> CliChat {
    let chat = CliChat::new(path, "20000000-0000-4000-8000-000000000000").named("The plain one");
    (0..turns).fold(chat, |chat, _| chat.user(&words.prose(chance, 120)).assistant(&words.prose(chance, 300)))
}

/// One conversation's transcripts: one file, two dialects of it, or one with subagents beside it.
pub(super) fn transcripts(words: &Words, chance: &mut Chance, path: &str) -> Vec<Transcript> {
    let id = chance.uuid();
    let dialect = *chance.pick(&[Dialect::Text, Dialect::FlatLines, Dialect::Lines, Dialect::Lines]);
    let first = talk(Transcript::new(path, &id).dialect(dialect), words, chance, path);
    let mut all = vec![first];
    if dialect == Dialect::FlatLines && chance.percent(40.0) {
        all.push(all[0].clone().dialect(Dialect::Text));
    }
    if dialect == Dialect::Lines && chance.percent(20.0) {
        for _ in 0..=chance.below(3) {
            let subagent = Transcript::new(path, &chance.uuid()).subagent_of(&id);
            all.push(talk(subagent, words, chance, path));
        }
    }
    all
}

/// The SDK store of a folder of its own.
pub(super) fn sdk_store(words: &Words, chance: &mut Chance, index: usize, agents: usize) -> SdkStore {
    let path = format!("/home/dev/robots/robot-{index}");
    let mut store = SdkStore::new(&path);
    for _ in 0..agents {
        let agent = SdkAgent::new(&format!("agent-{}", chance.uuid())).named(words.prose(chance, 24).trim());
        store = store.agent(talk(agent, words, chance, &path));
    }
    store
}

/// A small global database, as backups and profiles have.
pub(super) fn small_global(words: &Words, chance: &mut Chance) -> StateDatabase {
    (0..4).fold(StateDatabase::new(), |database, _| {
        let composer = Composer::new(chance.uuid()).titled(words.prose(chance, 24).trim());
        database.composer(&talk(composer, words, chance, "/home/dev/projects/old"))
    })
}

/// Chat tabs, a composer inside of the workspace, prompts and generations.
pub(super) fn old_chats(
    words: &Words,
    chance: &mut Chance,
    mut folder: WorkspaceFolder,
    tabs: usize,
) -> WorkspaceFolder {
    for _ in 0..tabs {
        let mut tab = ChatTab::new(&chance.uuid()).titled(words.prose(chance, 20).trim());
        for _ in 0..=chance.below(12) {
            let (question, answer) = (words.prose(chance, 150), words.prose(chance, 900));
            tab = tab.user(&question).assistant(&answer);
            folder = folder.prompt(&question);
        }
        folder = folder.chat_tab(tab);
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
