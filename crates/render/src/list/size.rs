//! Bytes as people say them, rounded to the nearest tenth.

const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];

/// `1.2 MB`.
pub fn size(bytes: u64) -> String {
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut unit_bytes: u128 = 1_000;
    let mut told = String::new();
    for unit in UNITS {
        let tenths = (u128::from(bytes) * 10 + unit_bytes / 2) / unit_bytes;
        told = format!("{}.{} {unit}", tenths / 10, tenths % 10);
        if tenths < 10_000 {
            break;
        }
        unit_bytes *= 1_000;
    }
    told
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_rounded_not_cut() {
        let table = [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (1_949, "1.9 kB"),
            (1_950, "2.0 kB"),
            (999_949, "999.9 kB"),
            (999_950, "1.0 MB"),
            (1_960_000, "2.0 MB"),
            (1_083_670_528, "1.1 GB"),
            (60_000_000_000, "60.0 GB"),
            (u64::MAX, "18446.7 PB"),
        ];
        for (bytes, expected) in table {
            assert_eq!(size(bytes), expected, "{bytes}");
        }
    }
}
