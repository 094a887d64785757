//! `backscroll hook`: the program that Cursor runs as a hook. It keeps one line of the payload, answers `{}`, and never blocks the user.

use std::io::{self, IsTerminal as _, Read as _};

use crate::wiring::HookLedger;
use clap::Args;

use crate::args::GlobalArgs;
use crate::error::Exit;
use crate::ui::Ui;
use crate::wiring;

/// Keep what Cursor passes to a hook (Cursor runs this; see `hooks install`)
///
/// Reads one JSON object on standard input, appends one line to the ledger in the data folder, prints `{}` and ends with code 0,
/// whatever happens. Of words only their length is kept, unless `--content` is given; e-mail addresses never are.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HookArgs {
    /// Keep prompts, answers and everything else in the payload, too
    #[arg(long)]
    content: bool,
}

const EXAMPLES: &str = "\
Examples:
  backscroll hooks install                 Let Cursor run it
  echo '{\"hook_event_name\":\"stop\",\"conversation_id\":\"c\"}' | backscroll hook";

/// The answer that changes nothing.
const ANSWER: &[u8] = b"{}\n";

/// Keeps the payload on standard input. Errors go to standard error and change nothing else.
pub(crate) fn run(ui: &mut Ui<'_>, global: &GlobalArgs, args: &HookArgs) -> Exit {
    let kept = payload().and_then(|payload| {
        let data = wiring::data_folder(global, ui.environment).ok_or(io::ErrorKind::NotFound)?;
        let now = ui.environment.now.timestamp();
        HookLedger::append(&data, &payload, now, args.content)
    });
    let exit = answer(ui.out());
    if let Err(error) = kept {
        ui.warning(&format!("the event was not kept: {error}"));
    }
    exit
}

/// Lets Cursor go on. Whether it still listens does not matter.
pub(crate) fn answer(out: &mut dyn io::Write) -> Exit {
    let _ = out.write_all(ANSWER).and_then(|()| out.flush());
    Exit::Done
}

/// The payload, cut one byte above the limit.
fn payload() -> io::Result<Vec<u8>> {
    let mut payload = Vec::new();
    if !io::stdin().is_terminal() {
        let most = u64::try_from(HookLedger::LONGEST_PAYLOAD).unwrap_or(u64::MAX).saturating_add(1);
        io::stdin().lock().take(most).read_to_end(&mut payload)?;
    }
    Ok(payload)
}
