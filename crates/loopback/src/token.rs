//! The secret that a client must know.

use std::fmt;

use backscroll_model::hex;

/// A random secret, as text for an address.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The token that these random bytes spell.
    pub fn from_random(bytes: [u8; 32]) -> Self {
        Self(hex::encode(&bytes))
    }

    /// The token as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `offered` is this token. Takes as long for a wrong one as for the right one, so that the time
    /// tells nothing of how much of it was right.
    pub fn is(&self, offered: &str) -> bool {
        let (own, offered) = (self.0.as_bytes(), offered.as_bytes());
        let differing = own.iter().enumerate().fold(0_u8, |differing, (at, byte)| {
            differing | (byte ^ offered.get(at).copied().unwrap_or_default())
        });
        std::hint::black_box(differing) == 0 && own.len() == offered.len()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token::from_random([0xa7; 32]);
        assert!(token.is(&"a7".repeat(32)));
        for wrong in ["", "a7", &"a7".repeat(31), &"a7".repeat(33), &"a8".repeat(32), &"\0".repeat(64)] {
            assert!(!token.is(wrong), "{wrong:?}");
        }
        assert_eq!(format!("{token:?}"), "Token(…)");
    }
}
