//! A piece of SQL with the values that belong to it.

use rusqlite::types::Value;

/// A condition and its values, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Condition {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Condition {
    pub(super) fn new(sql: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Self {
        Self { sql: sql.into(), values: values.into_iter().collect() }
    }

    /// `expression IN (values)`.
    pub(super) fn one_of(expression: &str, values: impl IntoIterator<Item = Value>) -> Self {
        let values: Vec<Value> = values.into_iter().collect();
        let marks = vec!["?"; values.len()].join(", ");
        Self { sql: format!("{expression} IN ({marks})"), values }
    }

    /// All of `conditions`, or any of them.
    pub(super) fn joined(conditions: Vec<Self>, with: &str) -> Self {
        let mut all = Self::default();
        for (number, condition) in conditions.into_iter().enumerate() {
            if number > 0 {
                all.sql.push_str(with);
            }
            all.sql.push('(');
            all.sql.push_str(&condition.sql);
            all.sql.push(')');
            all.values.extend(condition.values);
        }
        all
    }

    pub(super) fn negated(self) -> Self {
        // What is not known is not so: NULL must not swallow the row.
        Self { sql: format!("NOT coalesce(({}), 0)", self.sql), values: self.values }
    }
}

/// Text as a value.
pub(super) fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}
