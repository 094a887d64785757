//! Values that stand below their name: columns of CSV files, of tables in Markdown, of what a database prints.

use std::ops::Range;

use crate::options::around;

/// What stands between two fields.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// Lines are no longer than this.
const LONGEST_LINE: usize = 4096;

/// Names of columns are no longer than this.
const LONGEST_NAME: usize = 40;

/// Tables have no more columns than this.
const MOST_COLUMNS: usize = 64;

/// Where the values stand in the rows below a line of names, one of which is `name`. `rows` is where the last table stands that
/// was looked at: names inside of it are values.
pub(crate) fn below(text: &str, name: &Range<usize>, rows: &mut Range<usize>) -> Vec<Range<usize>> {
    let next = text[name.end..].trim_start_matches([' ', '"', '\'', '`']).chars().next();
    let is_cell = next.is_none_or(|next| SEPARATORS.contains(&next) || matches!(next, '\n' | '\r'));
    if rows.contains(&name.start) || !is_cell {
        return Vec::new();
    }
    let near = around(text, name.start, LONGEST_LINE, LONGEST_LINE);
    let before = &text[near.start..name.start];
    // All of the table may be the value of a field.
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let fields_before = ["\": \"", "\":\""].iter();
    let begins = fields_before.filter_map(|begin| Some(before[line..].rfind(begin)? + begin.len()));
    let start = near.start + line + begins.max().unwrap_or_default();
    if !text[name.end..near.end].contains('\n') {
        return Vec::new();
    }
    let mut lines = text[start..].split_inclusive('\n');
    let header = lines.next().unwrap_or_default();
    let is_marked = mark(header) > 0;
    let column_of = |separator: char| {
        let names = fields(header, mark(header), separator)?;
        let is_of_code = separator != '|' && header.contains(&format!("{separator} "));
        let count = names.iter().filter(|name| !name.is_empty()).count();
        let is_header = !is_of_code
            && count > 1
            && names.len() <= MOST_COLUMNS
            && names.iter().all(|name| is_name(&header[name.clone()]));
        let at = names.iter().position(|field| start + field.end == name.end).filter(|_| is_header)?;
        Some((separator, at, names.len()))
    };
    let Some((separator, column, columns)) = SEPARATORS.into_iter().find_map(column_of) else {
        return Vec::new();
    };
    let mut values = Vec::new();
    let mut end = start + header.len();
    rows.start = end;
    for line in lines {
        let begin = end;
        end += line.len();
        let is_ruler = line.len() > 2 && line.trim_end().bytes().all(|byte| b"-+|:= \t".contains(&byte));
        let row = fields(line, if is_marked { mark(line) } else { 0 }, separator);
        match row.filter(|row| row.len() == columns) {
            _ if is_ruler => {}
            Some(row) => values.push(begin + row[column].start..begin + row[column].end),
            None => break,
        }
        rows.end = end;
    }
    values
}

/// How long the mark of a diff or of a quotation is, or the number of a line.
fn mark(line: &str) -> usize {
    let number = line.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_digit());
    let has_number = line[..line.len() - number.len()].ends_with(|c: char| c.is_ascii_digit());
    match number.strip_prefix('|').filter(|_| has_number) {
        Some(rest) => line.len() - rest.len(),
        None => usize::from(line.starts_with(['+', '-', '>'])),
    }
}

/// The fields behind the first `from` bytes of a line, without spaces and quotes; `None` if the line is too long.
fn fields(line: &str, from: usize, separator: char) -> Option<Vec<Range<usize>>> {
    let is_around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`');
    let mut is_quoted = false;
    let rest = line.get(from..).filter(|_| line.len() <= LONGEST_LINE)?;
    let pieces = rest.split(|c: char| {
        is_quoted ^= c == '"';
        c == separator && !is_quoted
    });
    let mut at = from;
    let fields = pieces.map(|piece| {
        let start = at + piece.len() - piece.trim_start_matches(is_around).len();
        at += piece.len() + separator.len_utf8();
        start..start + piece.trim_matches(is_around).len()
    });
    Some(fields.collect())
}

/// Whether a column may be called so. The lines of some tables begin and end with a separator.
fn is_name(field: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ');
    field.len() <= LONGEST_NAME && field.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::below;

    fn values<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
        let at = text.find(name).unwrap_or_default();
        below(text, &(at..at + name.len()), &mut (0..0)).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn values_stand_below_their_name() {
        let tables = [
            "user,password,note\nmira,one,\"a,b\"\nada,two,\n\nthree,four,five\n",
            "id;password\r\n1;one\r\n2;\"two\"",
            "| user | password |\n|---|---|\n| mira | `one` |\n| ada | two |\n\nsee | that | |",
            " id | password \n----+----------\n  1 | one\n  2 | two\n(2 rows)\n",
            "+----+----------+\n| id | password |\n+----+----------+\n|  1 | one      |\n|  2 | two      |\n",
            "id|password\n1|one\n2|two\n",
            "@@ -1 +1,3 @@\n+id\tpassword\n+1\tone\n+2\ttwo\n",
            "     8|user,password\n     9|mira,one\n    10|ada,two\n",
        ];
        for table in tables {
            assert_eq!(values(table, "password"), ["one", "two"], "{table}");
        }
    }

    #[test]
    fn lines_of_a_program_are_no_table() {
        for code in [
            "user, password\nmira, one\n",
            "PASSWORD,\nTOKEN,\n",
            "A_TOKEN\n| B_TOKEN\n",
            "f(user,password)\nf(mira,one)\n",
            "password\none\n",
        ] {
            assert!(values(code, "password").is_empty(), "{code}");
        }
    }
}
