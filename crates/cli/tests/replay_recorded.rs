//! The replay of recorded conversations: at every checkpoint each file is in the play what the editor kept.

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::recorded_named;
use backscroll_history::History;
use backscroll_model::{Conversation, ConversationId, Side};
use backscroll_render::replay::script::{Play, Row, Splice, Trouble, play};

fn spliced(rows: &[Row], splices: &[Splice]) -> Vec<Row> {
    let (mut done, mut at) = (Vec::new(), 0);
    for splice in splices {
        done.extend_from_slice(&rows[at..splice.at]);
        done.extend_from_slice(&splice.added);
        at = splice.at + splice.removed;
    }
    done.extend_from_slice(&rows[at..]);
    done
}

/// What the play shows of the file that `path` ends with, behind `step`; `None` before anything is known of it.
fn at_step(play: &Play, path: &str, step: usize) -> Option<Vec<String>> {
    let is_it = |name: &str| path == name || path.ends_with(&format!("/{name}"));
    let named = play.files.iter().filter(|file| is_it(&file.path));
    let file = named.max_by_key(|file| file.path.len())?;
    let mut rows = vec![Row::Gap(None)];
    let told = file.changes.iter().take_while(|change| change.step <= step);
    told.for_each(|change| rows = spliced(&spliced(&rows, &change.told), &change.changed));
    let line = |row: &Row| match row {
        Row::Line(line) => line.to_string(),
        other => format!("{other:?}"),
    };
    Some(rows.iter().map(line).collect())
}

/// Compares every file of every checkpoint behind a message; gives how many there were.
fn compared(conversation: &Conversation, play: &Play) -> usize {
    let mut count = 0;
    for checkpoint in conversation.kept_files.checkpoints.iter().filter(|one| one.side == Side::After) {
        let message = conversation.messages.iter().position(|message| message.id == checkpoint.message);
        let last = play.steps.iter().rposition(|step| Some(step.message) == message);
        let Some(last) = last else { continue };
        for number in &checkpoint.states {
            let state = &conversation.kept_files.states[*number];
            let kept: Vec<String> =
                state.text.as_deref().unwrap_or_default().lines().map(str::to_owned).collect();
            // A file that was never there has nothing to show.
            let played = at_step(play, &state.path, last).unwrap_or_default();
            assert_eq!(played, kept, "{} behind step {last}", state.path);
            count += 1;
        }
    }
    count
}

#[test]
fn recorded_files_are_as_the_editor_kept_them() {
    let table = [
        ("global-null-bubbles-big-checkpoints", "66cf7298-96d8-4400-aa73-d7f329a4fc82"),
        ("global-older-backup-null-bubbles", "730fd336-4c9e-4f3d-b3a1-c2fdb1b852e5"),
        ("global-orphans-empty-backup", "d3ecc5c8-979a-407b-935c-62a557b0fb78"),
        ("profile-agentkv-wal-workspaces", "9112965b-2e0a-4b4d-9997-c290a743ba7f"),
    ];
    let mut told = Vec::new();
    for (home, id) in table {
        let copy = recorded_named(home).unwrap().copy_to_temp().unwrap();
        let found = find(&Where { home: Some(copy.path().to_owned()), ..Where::default() });
        let history = History::over(found.sources, found.findings);
        let conversation = history.load_with_files(&ConversationId::new(id)).unwrap();
        let play = play(&conversation);
        let changes = || play.files.iter().flat_map(|file| &file.changes);
        let marked = changes().filter(|change| change.trouble == Some(Trouble::NotAsKept)).count();
        let other = changes().filter(|change| change.trouble.is_some()).count() - marked;
        let kept = changes().filter(|change| change.kept).count();
        told.push(format!(
            "{home}: {} states compared, {} files, {} changes, {kept} as kept, {marked} not as kept, {other} other troubles",
            compared(&conversation, &play),
            play.files.len(),
            changes().count(),
        ));
    }
    // The words in these stores are filler that differs from row to row, so nearly every edit contradicts its checkpoint.
    insta::assert_snapshot!(told.join("\n"), @r"
    global-null-bubbles-big-checkpoints: 195 states compared, 13 files, 30 changes, 27 as kept, 26 not as kept, 2 other troubles
    global-older-backup-null-bubbles: 28 states compared, 5 files, 36 changes, 23 as kept, 22 not as kept, 4 other troubles
    global-orphans-empty-backup: 6 states compared, 5 files, 5 changes, 3 as kept, 3 not as kept, 0 other troubles
    profile-agentkv-wal-workspaces: 0 states compared, 1 files, 5 changes, 1 as kept, 1 not as kept, 1 other troubles
    ");
}
