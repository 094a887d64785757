//! Pieces of pages that more than one of them uses. Each is given values and gives markup; none asks anything.

mod calendar;
mod chart;
mod months;
mod number;
mod stacked;
mod summary_list;

pub(crate) use calendar::calendar;
pub(crate) use chart::{Bar, bars, columns};
pub(crate) use months::without_gaps;
pub(crate) use number::{bytes, count, plural};
pub(crate) use stacked::{KINDS, Stacked, stacked};
pub(crate) use summary_list::{Row, summary_list, surface_name};
