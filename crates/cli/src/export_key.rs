//! The key that makes marks of secrets, so that an export knows them again without keeping them.
//!
//! It lies among the user's own caches, never in a folder of exported files, which may be given away. Whoever loses it loses
//! nothing but old numbers: the next export gives new ones.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::error::CommandError;
use crate::exit::Exit;

const NAME: &str = "export-key";

const LENGTH: usize = 32;

#[derive(Debug, thiserror::Error)]
#[error("this system gives no random numbers")]
struct NoRandomNumbers(#[source] getrandom::Error);

/// The key, made if there is none. Where it cannot be kept, it is good for this once.
pub(crate) fn key(cache: Option<&Path>) -> Result<[u8; LENGTH], CommandError> {
    let place = cache.map(|cache| cache.join(NAME));
    let known = place.as_ref().and_then(|place| fs::read(place).ok()).and_then(|bytes| bytes.try_into().ok());
    if let Some(known) = known {
        return Ok(known);
    }
    let mut key = [0; LENGTH];
    getrandom::fill(&mut key).map_err(|error| CommandError::new(Exit::Refused, NoRandomNumbers(error)))?;
    if let Some(cache) = cache {
        // Readable by the user alone, as every temporary file is.
        let _ = fs::create_dir_all(cache).and_then(|()| {
            let mut file = tempfile::NamedTempFile::new_in(cache)?;
            file.write_all(&key)?;
            file.persist(cache.join(NAME)).map(drop).map_err(|error| error.error)
        });
    }
    Ok(key)
}
