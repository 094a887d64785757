//! Which stored addresses may be followed: those of the web and of mail, nothing that runs, reads or fetches.

/// `address`, if a page may link to it.
pub(super) fn followable(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once(':')?;
    let is_known = ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let is_whole = !rest.is_empty() && !address.chars().any(|c| c.is_control() || c.is_whitespace());
    (is_known && is_whole).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::followable;

    #[test]
    fn only_the_web_and_mail() {
        for good in ["https://example.invalid/a?b#c", "HTTP://example.invalid", "mailto:a@example.invalid"] {
            assert_eq!(followable(good), Some(good));
        }
        let bad = [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java\nscript:alert(1)",
            " javascript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "//example.invalid",
            "src/main.rs",
            "#m1",
            "https:",
            "",
        ];
        for bad in bad {
            assert_eq!(followable(bad), None, "{bad:?}");
        }
    }
}
