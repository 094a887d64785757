//! The random secret of a server.

use backscroll_web::Token;

use crate::error::{CommandError, Exit};

/// A new token.
pub(crate) fn token() -> Result<Token, CommandError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| CommandError::new(Exit::Refused, NoRandomNumbers(error)))?;
    Ok(Token::from_random(bytes))
}

#[derive(Debug, thiserror::Error)]
#[error("the system gives no random numbers: {0}")]
struct NoRandomNumbers(getrandom::Error);
