//! The same questions in names and values: options of a command, parameters of an address.

use jiff::Zoned;

use super::ask::{Ask, Filter, Order};
use super::error::{QueryError, Trouble};
use super::field::{self, Field};
use backscroll_model::Named as _;

impl Ask {
    /// The same question, of which these options must hold besides. Their names are those of fields, and `on`, `all`, `sort`, `limit`
    /// and `offset`; other names are left to the caller. Several values of one name are alternatives, as are the names between
    /// commas where only few are known; but everything that a conversation should have (`has`) must be there.
    pub fn given<'a>(
        mut self,
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
        now: &Zoned,
    ) -> Result<Self, QueryError> {
        let mut values: Vec<(Field, Vec<String>)> = Vec::new();
        for (name, value) in options.into_iter().filter(|(_, value)| !value.is_empty()) {
            match name {
                "all" => self.all = true,
                "sort" => self.order = Order::from_name(value).ok_or_else(|| unknown("sort", value))?,
                "limit" => self.limit = Some(number("limit", value)?).filter(|limit| *limit > 0),
                "offset" => self.offset = number("offset", value)?,
                "on" => {
                    values.extend([Field::After, Field::Until].map(|field| (field, vec![value.to_owned()])));
                }
                _ => {
                    let Some(field) = Field::named(name) else { continue };
                    let several = || value.split(',').map(str::trim).filter(|one| !one.is_empty());
                    let is_known = !field.values().is_empty();
                    let given: Vec<String> = if is_known {
                        several().map(str::to_owned).collect()
                    } else {
                        vec![value.to_owned()]
                    };
                    let is_each = field == Field::Has || field.is_time();
                    match values.iter_mut().find(|(known, _)| *known == field && !is_each) {
                        Some((_, known)) => known.extend(given),
                        None if is_each => values.extend(given.into_iter().map(|one| (field, vec![one]))),
                        None => values.push((field, given)),
                    }
                }
            }
        }
        let filters = values.into_iter().map(|(field, values)| {
            let values = values.into_iter().map(|value| (value, 0..0)).collect();
            field::filter(field, values, now)
        });
        Ok(self.with(filters.collect::<Result<Vec<Filter>, QueryError>>()?))
    }
}

fn number(name: &'static str, value: &str) -> Result<usize, QueryError> {
    value.parse().map_err(|_| unknown(name, value))
}

fn unknown(name: &'static str, value: &str) -> QueryError {
    QueryError { trouble: Trouble::UnknownOption { name, value: value.to_owned() }, at: 0..0 }
}
