//! A name for the file of a replay: its title and the beginning of its id, safe on every system.

use backscroll_model::Summary;

/// Longer titles are cut at a word.
const LONGEST: usize = 60;

/// Names that Windows keeps for itself, whatever stands behind the dot.
const KEPT: &[&str] = &["con", "prn", "aux", "nul"];

/// `make-it-fast-98251e54.html`.
pub fn file_name(summary: &Summary) -> String {
    let words = |text: &str| {
        let letters = text.chars().map(|letter| if letter.is_alphanumeric() { letter } else { ' ' });
        letters.collect::<String>().to_lowercase()
    };
    let mut name = String::new();
    for word in words(summary.title.as_deref().unwrap_or_default()).split_whitespace() {
        let word: String = word.chars().take(LONGEST).collect();
        if name.chars().count() + word.chars().count() + 1 > LONGEST {
            break;
        }
        name.push_str(&word);
        name.push('-');
    }
    if name.is_empty() || KEPT.contains(&name.trim_end_matches('-')) {
        name.insert_str(0, "conversation-");
    }
    let id: String = summary.id.as_str().chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    format!("{name}{}.html", if id.is_empty() { "replay" } else { &id })
}
