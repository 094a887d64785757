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

/// Workspaces in every home.
const WORKSPACES: usize = 60;
/// Conversations without a message: far more than others in real life, capped so that a small home stays small.
const MOST_EMPTY: usize = 400;

/// How large the home is to be.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) out: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) seed: u64,
    pub(crate) biggest: usize,
    pub(crate) cli_stores: usize,
    /// The turns of one long session of the command line; none if zero.
    pub(crate) cli_turns: usize,
    pub(crate) transcripts: usize,
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
            cli_stores: arguments.number("cli-stores", 200)?,
            cli_turns: arguments.number("cli-turns", 0)?,
            transcripts: arguments.number("transcripts", 100)?,
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
    let mut workspaces: Vec<_> = (0..WORKSPACES).map(workspace).collect();

    let mut talk = Conversations::new(&words, chance.clone());
    let bubbles = plan.bytes * 37 / 100;
    let mut heads = HeaderTable::new().with_subagent_column();
    let mut list = Vec::new();
    let mut conversations = 0;
    let mut wanted = plan.biggest;
    while wanted > 0 || global.bytes_of("bubbleId") < bubbles {
        let home = conversations % WORKSPACES;
        let composer = talk.composer(std::mem::take(&mut wanted), &workspaces[home].0, &workspaces[home].1);
        talk.write(&mut global, &composer)?;
        remember(&composer, &mut workspaces[home].2, &mut heads, &mut list);
        conversations += 1;
    }
    for index in 0..MOST_EMPTY.min(conversations * 14) {
        let home = index % WORKSPACES;
        let composer = talk.empty(&workspaces[home].0, &workspaces[home].1);
        global.composer(&composer)?;
        remember(&composer, &mut workspaces[home].2, &mut heads, &mut list);
    }
    talk.oddities(&mut global)?;
    fill_checkpoints(&mut global, &words, &mut chance, talk.ids(), plan.bytes * 6 / 100)?;
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
    let mut home = CursorHome::at(&plan.out);
    if plan.cli_turns > 0 {
        let folder = &workspaces[0].1;
        home = home.cli(elsewhere::long_cli_chat(words, chance, folder, plan.cli_turns));
        home = home.cli(elsewhere::plain_cli_chat(words, chance, folder, plan.cli_turns));
    }
    for (index, (_, path, folder)) in workspaces.into_iter().enumerate() {
        let folder = if index % 12 == 0 { elsewhere::old_chats(words, chance, folder) } else { folder };
        home = home.workspace(folder);
        for _ in 0..plan
            .cli_stores
            .div_ceil(WORKSPACES)
            .min(plan.cli_stores.saturating_sub(index * plan.cli_stores.div_ceil(WORKSPACES)))
        {
            home = home.cli(elsewhere::cli_chat(words, chance, &path));
        }
        for _ in 0..plan
            .transcripts
            .div_ceil(WORKSPACES)
            .min(plan.transcripts.saturating_sub(index * plan.transcripts.div_ceil(WORKSPACES)))
        {
            home = home.transcript(elsewhere::transcript(words, chance, &path));
        }
    }
    home.write().map(drop)
}
