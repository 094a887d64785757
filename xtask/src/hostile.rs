//! Writes the home that tries to break out of pages, for the tests in a browser.

use crate::arguments::{Arguments, Trouble};

/// Writes it to the folder `--out`.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let folder = arguments.path("out").ok_or("hostile needs --out DIR")?;
    Ok(backscroll_fixtures::hostile_home(&folder)?)
}
