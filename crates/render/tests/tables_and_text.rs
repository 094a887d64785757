//! Plain text and comma-separated values.

use backscroll_render::{Detail, csv, plain};
use jiff::tz::TimeZone;

use crate::every_part;

#[test]
fn plain_text_at_every_detail() {
    for detail in Detail::ALL {
        let mut out = Vec::new();
        let look = plain::Look { detail, time_zone: TimeZone::UTC };
        plain::conversation(&every_part::conversation(), &look, &mut out).unwrap();
        insta::assert_snapshot!(format!("plain_{}", detail.name()), String::from_utf8(out).unwrap());
    }
}

#[test]
fn one_row_for_each_message() {
    let mut out = Vec::new();
    csv::header(&mut out).unwrap();
    csv::messages(&every_part::conversation(), &mut out).unwrap();
    insta::assert_snapshot!("csv", String::from_utf8(out).unwrap());
}
