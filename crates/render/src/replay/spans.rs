//! Spans of time in words: rough, as people say them.

/// `45 s`, `12 min`, `3 h`, `2 days`.
pub(super) fn rough(milliseconds: u64) -> String {
    let seconds = milliseconds / 1_000;
    match seconds {
        0 => format!("{milliseconds} ms"),
        1..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_rough() {
        let table = [
            (400, "400 ms"),
            (45_000, "45 s"),
            (720_000, "12 min"),
            (10_900_000, "3 h"),
            (259_200_000, "3 days"),
        ];
        for (milliseconds, expected) in table {
            assert_eq!(rough(milliseconds), expected);
        }
    }
}
