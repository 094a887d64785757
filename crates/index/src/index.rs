//! An index that can be asked. What is asked stands in files of its own; this one only holds the way in.

use std::path::Path;

use rusqlite::Connection;

use crate::folder::Folder;
use crate::{IndexError, database};

/// An index that can be asked. It may be older than the sources: [`refresh`](crate::refresh) it first.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
}

impl Index {
    /// The index in `folder`; `None` if there is none, or one of another version, which a refresh makes anew.
    pub fn open(folder: &Path) -> Result<Option<Self>, IndexError> {
        let folder = Folder::at(folder);
        // The file may be replaced between being named and being opened: then another one is named.
        for _ in 0..3 {
            let Some(file) = folder.current() else { return Ok(None) };
            match database::open_to_read(&file) {
                Ok(connection) => return Ok(connection.map(|connection| Self { connection })),
                Err(_) if !file.is_file() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The way to its tables.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }
}
