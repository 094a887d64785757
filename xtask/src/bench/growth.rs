//! Lets a copy of a home grow by a little, as an hour's work does.

use std::path::Path;
use std::process::Command;

use backscroll_fixtures::{Composer, Speaks as _, create_database};
use rusqlite::params;
use serde_json::json;

use crate::arguments::Trouble;

/// Copies `home` to `copy`.
pub(super) fn copy(home: &Path, copy: &Path) -> Result<(), Trouble> {
    let status = Command::new("cp").args(["-r", "--reflink=auto"]).arg(home).arg(copy).status()?;
    if status.success() { Ok(()) } else { Err("the home cannot be copied".into()) }
}

/// Adds conversations of about `bytes` bytes to the editor's database, others in each round.
pub(super) fn grow(home: &Path, bytes: u64, round: usize) -> Result<(), Trouble> {
    let file = home.join(".config/Cursor/User/globalStorage/state.vscdb");
    let mut connection = create_database(&file)?;
    let transaction = connection.transaction()?;
    let (mut written, mut number) = (0, 0);
    while written < bytes {
        number += 1;
        let contents = format!("fn grown_{round}_{number}() {{ tideTable.lookUp({number}) }}\n").repeat(60);
        let talk = (0..20).fold(Composer::new(format!("grown-{round}-{number}")), |talk, turn| {
            talk.user(&format!("question {turn}"))
                .tool("read_file", json!({"target_file": "src/a.rs"}), json!({ "contents": contents }))
                .assistant("It is high at noon.")
        });
        for (key, value) in talk.rows() {
            written += (key.len() + value.bytes().map_or(0, <[u8]>::len)) as u64;
            transaction.execute(
                "INSERT OR REPLACE INTO cursorDiskKV (key, value) VALUES (?1, ?2)",
                params![key, value],
            )?;
        }
    }
    Ok(transaction.commit()?)
}
