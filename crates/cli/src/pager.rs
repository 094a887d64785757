//! A pager for long views, only where people read: `$BACKSCROLL_PAGER`, `$PAGER`, else `less -RFX`.

use std::io::{self, BufWriter, Write};
use std::process::{Child, Command, Stdio};

use crate::environment::Environment;

/// A pager that waits for text.
pub(crate) struct Pager {
    child: Child,
}

/// Starts the user's pager; `None` where none is wanted or none starts.
pub(crate) fn start(environment: &Environment) -> Option<Pager> {
    if !environment.out_is_terminal {
        return None;
    }
    let asked = environment.pager.as_deref().unwrap_or("less");
    let mut words = asked.split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if !environment.less_is_set_up {
        // Colours as they are, leave at once if it fits, leave the text on the screen.
        command.env("LESS", "RFX");
    }
    command.spawn().ok().map(|child| Pager { child })
}

impl Pager {
    /// Lets `write` fill the pager, and waits until the reader is done. Leaving early is not an error.
    pub(crate) fn fill(mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let written = match self.child.stdin.take() {
            Some(stdin) => {
                let mut stdin = BufWriter::new(stdin);
                write(&mut stdin).and_then(|()| stdin.flush())
            }
            None => Ok(()),
        };
        self.child.wait()?;
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}
