//! The program `backscroll`. Everything it does stands in the library beside it, so that tests can do it too.

use std::process::ExitCode;

fn main() -> ExitCode {
    backscroll_cli::main().into()
}
