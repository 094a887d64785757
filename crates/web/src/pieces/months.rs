//! Months in a row. A month in which nothing happened is one too: left out, a year of silence would look like a day.

use std::collections::BTreeMap;

/// More columns than this say nothing any more; then only months with something in them are told.
const MOST: i64 = 120;

/// `months` by name (`2026-01`), with those between the first and the last that are lacking.
pub(crate) fn without_gaps<T: Default>(mut months: BTreeMap<String, T>) -> Vec<(String, T)> {
    let ends = months.keys().filter_map(|name| number(name));
    let (first, last) = (ends.clone().min(), ends.max());
    if let (Some(first), Some(last)) = (first, last)
        && last - first < MOST
    {
        for month in first..last {
            let name = format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1);
            months.entry(name).or_default();
        }
    }
    months.into_iter().collect()
}

/// Months since the year 0.
fn number(name: &str) -> Option<i64> {
    let (year, month) = name.split_once('-')?;
    let month: i64 = month.parse().ok().filter(|month| (1..=12).contains(month))?;
    Some(year.parse::<i64>().ok()? * 12 + month - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[&str]) -> Vec<String> {
        let months = of.iter().map(|name| ((*name).to_owned(), 1)).collect();
        without_gaps(months).into_iter().map(|(name, number)| format!("{name}={number}")).collect()
    }

    #[test]
    fn silence_takes_its_time() {
        assert_eq!(names(&["2025-11", "2026-02"]), ["2025-11=1", "2025-12=0", "2026-01=0", "2026-02=1"]);
        assert_eq!(names(&["2025-11"]), ["2025-11=1"]);
        assert_eq!(names(&[]), [""; 0]);
        assert_eq!(names(&["", "2025-11"]), ["=1", "2025-11=1"]);
        assert_eq!(names(&["1970-01", "2026-01"]).len(), 2);
    }
}
