//! Data for the player inside of a page: JSON that cannot end its element, and that is never run.

use std::io::{self, Write};

use maud::PreEscaped;
use serde::Serialize;

/// Where the player finds its data.
const BEGINNING: &str = r#"<script type="application/json" id="play">"#;

/// Writes `value` as a block of data. Within JSON `<`, `>` and `&` stand only in strings, so they can be spelled
/// otherwise everywhere; the separators of lines that old JavaScript did not know are spelled out too.
pub(super) fn write(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(BEGINNING.as_bytes())?;
    serde_json::to_writer(Escaping(&mut *out), value)?;
    out.write_all(b"</script>")
}

/// Spells out what could be taken for markup.
struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut from = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let spelled: &[u8] = match byte {
                b'<' => b"\\u003c",
                b'>' => b"\\u003e",
                b'&' => b"\\u0026",
                _ => continue,
            };
            self.0.write_all(&bytes[from..at])?;
            self.0.write_all(spelled)?;
            from = at + 1;
        }
        self.0.write_all(&bytes[from..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Markup that was written by hand.
pub(super) fn raw(text: &'static str) -> PreEscaped<&'static str> {
    PreEscaped(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_end_its_element() {
        let text = "</script><!--<script>&amp;\u{2028}é";
        let mut page = Vec::new();
        write(&text, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let data = page.strip_prefix(BEGINNING).unwrap().strip_suffix("</script>").unwrap();
        assert!(!data.contains(['<', '>', '&']), "{data}");
        assert_eq!(serde_json::from_str::<String>(data).unwrap(), text);
    }
}
