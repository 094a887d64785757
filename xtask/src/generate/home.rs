//! The whole home: how much of what, and in which order.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use backscroll_fixtures::{Composer, CursorHome, Era, HeaderTable, WorkspaceFolder, md5_of};

use super::conversation::Conversations;
use super::elsewhere;
use super::global::Global;
use super::referenced::{fill_agent_blobs, fill_checkpoints};
use crate::arguments::{Arguments, Trouble};
use crate::chance::Chance;
use crate::words::Words;

/// Conversations without a message: far more than others in real life, capped so that a small home stays small.
const MOST_EMPTY: usize = 400;

/// What the home is to hold. Without options it is a mix of every kind of store.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) out: PathBuf,
    /// The size of the global database.
    pub(crate) bytes: u64,
    pub(crate) seed: u64,
    /// The messages of the largest conversation.
    pub(crate) biggest: usize,
    /// Workspaces of the editor, each with a database.
    pub(crate) workspaces: usize,
    /// Old chat tabs: half of them in one workspace, the others spread over every twelfth.
    pub(crate) tabs: usize,
    /// Stores of the command line agent.
    pub(crate) cli_stores: usize,
    /// The turns of one long session of the command line; none if zero.
    pub(crate) cli_turns: usize,
    /// SDK stores, and the agents in each.
    pub(crate) sdk_stores: usize,
    pub(crate) sdk_agents: usize,
    /// Transcripts: single files, files in folders of their own, pairs of two dialects, and subagents.
    pub(crate) transcripts: usize,
    /// Checkpoints of files, in percent of the global database.
    pub(crate) checkpoints: u64,
    /// Backups of the global database, and profiles with a global database of their own.
    pub(crate) backups: usize,
    pub(crate) profiles: usize,
}

impl Plan {
    pub(crate) fn from(arguments: &Arguments, out: PathBuf) -> Result<Self, Trouble> {
        let gigabytes: f64 = arguments.number("gb", 1.0)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a size somebody has room for"
        )]
        let bytes = (gigabytes.max(0.0) * 1e9) as u64;
        Ok(Self {
            out,
            bytes,
            seed: arguments.number("seed", 1)?,
            biggest: arguments.number("biggest", 2_709)?,
            workspaces: arguments.number("workspaces", 100)?.max(1),
            tabs: arguments.number("tabs", 700)?,
            cli_stores: arguments.number("cli-stores", 70)?,
            cli_turns: arguments.number("cli-turns", 0)?,
            sdk_stores: arguments.number("sdk-stores", 12)?,
            sdk_agents: arguments.number("sdk-agents", 3)?,
            transcripts: arguments.number("transcripts", 1_500)?,
            checkpoints: arguments.number("checkpoints", 6)?,
            backups: arguments.number("backups", 1)?,
            profiles: arguments.number("profiles", 1)?,
        })
    }
}

#[expect(clippy::print_stdout, reason = "the chore tells what it made")]
pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let out = arguments.path("out").ok_or("generate needs --out DIR")?;
    let plan = Plan::from(arguments, out)?;
    let began = Instant::now();
    let told = generate(&plan)?;
    println!("{told}written to {} in {:.1} s", plan.out.display(), began.elapsed().as_secs_f64());
    Ok(())
}

/// Writes the home, and tells what is in it.
pub(crate) fn generate(plan: &Plan) -> io::Result<String> {
    let user = plan.out.join(".config/Cursor/User");
    let database = user.join("globalStorage/state.vscdb");
    if database.exists() {
        return Err(io::Error::other(format!("{} is there already", database.display())));
    }
    let mut chance = Chance::new(plan.seed);
    let words = Words::new(&mut chance);
    let mut global = Global::create(&database)?;
    let mut workspaces: Vec<_> = (0..plan.workspaces).map(workspace).collect();

    let mut talk = Conversations::new(&words, chance.clone());
    let bubbles = plan.bytes * 37 / 100;
    let mut heads = HeaderTable::new().with_subagent_column();
    let mut list = Vec::new();
    let mut conversations = 0;
    let mut wanted = plan.biggest;
    while wanted > 0 || global.bytes_of("bubbleId") < bubbles {
        let home = conversations % plan.workspaces;
        let composer = talk.composer(std::mem::take(&mut wanted), &workspaces[home].0, &workspaces[home].1);
        talk.write(&mut global, &composer)?;
        remember(&composer, &mut workspaces[home].2, &mut heads, &mut list);
        conversations += 1;
    }
    for index in 0..MOST_EMPTY.min(conversations * 14) {
        let home = index % plan.workspaces;
        let composer = talk.empty(&workspaces[home].0, &workspaces[home].1);
        global.composer(&composer)?;
        remember(&composer, &mut workspaces[home].2, &mut heads, &mut list);
    }
    talk.oddities(&mut global)?;
    fill_checkpoints(&mut global, &words, &mut chance, talk.ids(), plan.bytes * plan.checkpoints / 100)?;
    fill_agent_blobs(&mut global, &words, &mut chance, plan.bytes * 45 / 100)?;
    let told = global.finish(&list, &heads)?;

    write_rest(plan, &words, &mut chance, workspaces, &user)?;
    Ok(told)
}

type Workspace = (String, String, WorkspaceFolder);

fn workspace(index: usize) -> Workspace {
    let path = format!("/home/dev/projects/{}-{index}", ["web", "api", "tools", "docs", "infra"][index % 5]);
    let id = md5_of(&format!("{path}{}", 100_000 + index));
    let folder = WorkspaceFolder::new(&id).folder(&format!("file://{path}"));
    (id, path, folder)
}

fn remember(
    composer: &Composer,
    workspace: &mut WorkspaceFolder,
    heads: &mut HeaderTable,
    list: &mut Vec<serde_json::Value>,
) {
    if composer.is_of(Era::V16) {
        *heads = std::mem::take(heads).composer(composer);
        list.push(composer.head());
    } else {
        let before = std::mem::replace(workspace, WorkspaceFolder::new(""));
        *workspace = before.head(composer);
    }
}

fn write_rest(
    plan: &Plan,
    words: &Words,
    chance: &mut Chance,
    workspaces: Vec<Workspace>,
    user: &Path,
) -> io::Result<()> {
    fs::write(user.join("globalStorage/state.vscdb.options.json"), "{\"useWAL\": true}")?;
    // Everything is written as it is made, so that a home may be larger than the memory.
    let home = || CursorHome::at(&plan.out);
    let paths: Vec<String> = workspaces.iter().map(|(_, path, _)| path.clone()).collect();
    let path_of = |index: usize| &paths[index % paths.len()];
    let spread = workspaces.len().div_ceil(12);
    for (index, (_, _, folder)) in workspaces.into_iter().enumerate() {
        let mut tabs = if index == 0 { plan.tabs.div_ceil(2) } else { 0 };
        if index % 12 == 0 {
            let rest = plan.tabs / 2;
            tabs += rest / spread + usize::from(index / 12 < rest % spread);
        }
        let folder = if tabs > 0 { elsewhere::old_chats(words, chance, folder, tabs) } else { folder };
        home().workspace(folder).write()?;
    }
    if plan.cli_turns > 0 {
        home().cli(elsewhere::long_cli_chat(words, chance, &paths[0], plan.cli_turns)).write()?;
        home().cli(elsewhere::plain_cli_chat(words, chance, &paths[0], plan.cli_turns)).write()?;
    }
    for index in 0..plan.cli_stores {
        home().cli(elsewhere::cli_chat(words, chance, path_of(index))).write()?;
    }
    for index in 0..plan.sdk_stores {
        home().sdk(elsewhere::sdk_store(words, chance, index, plan.sdk_agents)).write()?;
    }
    let mut left = plan.transcripts;
    for index in 0.. {
        if left == 0 {
            break;
        }
        for transcript in elsewhere::transcripts(words, chance, path_of(index)).into_iter().take(left) {
            home().transcript(transcript).write()?;
            left -= 1;
        }
    }
    for number in 0..plan.backups {
        let name = if number == 0 { String::new() } else { format!(".{number}") };
        home()
            .database(
                format!("globalStorage/state.vscdb{name}.backup"),
                elsewhere::small_global(words, chance),
            )
            .write()?;
    }
    for number in 0..plan.profiles {
        home().profile(&format!("profile-{number}"), elsewhere::small_global(words, chance)).write()?;
    }
    Ok(())
}
