//! How much a match weighs. Pure.

use backscroll_model::Role;

/// Weights of the columns of `words` for the engine's own measure, in their order: a title tells most, a tool's output
/// least.
pub(super) const COLUMN_WEIGHTS: &str = "9.0, 4.0, 1.5, 1.5, 0.7, 2.5, 1.0, 0.7";

/// A match this old weighs three quarters of a new one.
const HALF_WAY_DAYS: f64 = 120.0;

/// What age takes away at most.
const LOST_BY_AGE: f64 = 0.5;

const MILLISECONDS_A_DAY: f64 = 86_400_000.0;

/// The weight of a match: `relevance` as the engine tells it, who spoke, and how long ago.
pub(super) fn score(relevance: f64, role: Option<Role>, age_milliseconds: Option<i64>) -> f64 {
    relevance.max(1e-6) * of_role(role) * of_age(age_milliseconds)
}

fn of_role(role: Option<Role>) -> f64 {
    match role {
        // A title has no role.
        None | Some(Role::User) => 1.25,
        Some(Role::Assistant) => 1.0,
        Some(Role::Tool) => 0.7,
        Some(Role::System) => 0.2,
    }
}

fn of_age(milliseconds: Option<i64>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a weight needs no milliseconds")]
    let days = milliseconds.map_or(f64::MAX, |age| age.max(0) as f64 / MILLISECONDS_A_DAY);
    1.0 - LOST_BY_AGE * (days / (days + HALF_WAY_DAYS)).min(1.0)
}

/// The weight of a conversation: its best match, and a little for each other.
pub(super) fn of_conversation(best: f64, others: usize) -> f64 {
    let others = u32::try_from(others).unwrap_or(u32::MAX);
    best * (1.0 + 0.08 * f64::from(others).ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_and_the_users_own_words_weigh_more() {
        let day = |days: i64| Some(days * 86_400_000);
        let user = |age| score(1.0, Some(Role::User), age);
        assert!(user(day(1)) > user(day(30)));
        assert!(user(day(30)) > user(day(3000)));
        assert!(user(day(3000)) > user(None) * 0.99);
        assert!(user(day(1)) > score(1.0, Some(Role::Assistant), day(1)));
        assert!(score(3.0, Some(Role::Assistant), day(900)) > user(day(0)), "relevance leads");
        assert!(user(day(-5)) <= 1.25, "the future is not newer than now");
        assert!(of_conversation(1.0, 20) < 1.5 && of_conversation(1.0, 1) > 1.0);
    }
}
