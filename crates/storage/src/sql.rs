//! The text of statements, put together at compile time for both dialects.

/// A dialect of SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

/// A fragment of a statement, in each dialect.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment {
    sqlite: &'static str,
    postgres: &'static str,
}

/// Locks the selected rows until the transaction ends. SQLite's one writer has locked the whole database.
pub(super) const FOR_UPDATE: Fragment = Fragment::per_dialect("", " FOR UPDATE");

/// Keeps the selected rows as they are until the transaction ends. Others may do the same.
pub(super) const FOR_SHARE: Fragment = Fragment::per_dialect("", " FOR SHARE");

/// Keeps the selected rows from being deleted until the transaction ends. Others may change them otherwise.
pub(super) const FOR_KEY_SHARE: Fragment = Fragment::per_dialect("", " FOR KEY SHARE");

/// Skips rows that others have locked, and locks the selected ones.
pub(super) const SKIP_LOCKED: Fragment = Fragment::per_dialect("", " FOR UPDATE SKIP LOCKED");

/// Where a text begins in another, from 1; 0 if it is not in it. Neither has wildcards, and `LIKE` with an escape character would read the
/// pattern again for each row.
pub(super) const POSITION: Fragment = Fragment::per_dialect("instr", "strpos");

/// By which a row is found from an index. PostgreSQL does not say where a row is.
pub(super) const ROW_ID: Fragment = Fragment::per_dialect("rowid", "id");

impl Fragment {
    /// A fragment that is the same in both dialects.
    pub(super) const fn new(text: &'static str) -> Self {
        Self::per_dialect(text, text)
    }

    /// A fragment that differs.
    pub(super) const fn per_dialect(sqlite: &'static str, postgres: &'static str) -> Self {
        Self { sqlite, postgres }
    }

    /// Returns the text in a dialect.
    pub(super) const fn text(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => self.sqlite,
            Dialect::Postgres => self.postgres,
        }
    }
}

/// A statement with this number of parameters. [`sql!`] makes them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sql<const PARAMETERS: usize>(pub(super) Template);

/// A statement's text, and how it is run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Template {
    pub(super) text: Fragment,
    /// The path of a function inside the one that runs the statement.
    pub(super) path: fn() -> &'static str,
    /// Whether PostgreSQL prepares it, and so keeps its plan.
    pub(super) is_prepared: bool,
}

impl<const PARAMETERS: usize> Sql<PARAMETERS> {
    /// Makes PostgreSQL plan the statement each time, for tables whose size changes much.
    pub(super) const fn planned_each_time(mut self) -> Self {
        self.0.is_prepared = false;
        self
    }
}

impl Template {
    /// Returns the name of the function that runs the statement, for spans.
    pub(super) fn name(&self) -> &'static str {
        let path = (self.path)().trim_end_matches("::path");
        let path = path.trim_end_matches("::{{closure}}");
        path.rsplit("::").next().unwrap_or(path)
    }
}

/// Makes a [`Fragment`] of others, each of which stands for a `{}` in the text.
macro_rules! fragment {
    ($text:expr $(, $fragment:expr)* $(,)?) => {{
        use $crate::sql::{Dialect, Fragment, fill, length, utf8};
        const TEXT: &str = $text;
        const FRAGMENTS: &[Fragment] = &[$($fragment),*];
        const SQLITE: [u8; length(TEXT, FRAGMENTS, Dialect::Sqlite)] =
            fill(TEXT, FRAGMENTS, Dialect::Sqlite);
        const POSTGRES: [u8; length(TEXT, FRAGMENTS, Dialect::Postgres)] =
            fill(TEXT, FRAGMENTS, Dialect::Postgres);
        Fragment::per_dialect(utf8(&SQLITE), utf8(&POSTGRES))
    }};
}
pub(super) use fragment;

/// Makes a statement, whose parameters `$1`, `$2`, … are counted at compile time. Each `{}` stands for a [`Fragment`]:
/// `sql!("SELECT {} FROM accounts a WHERE a.id = $1{}", Account::COLUMNS, FOR_UPDATE)`.
macro_rules! sql {
    ($text:expr $(, $fragment:expr)* $(,)?) => {{
        const STATEMENT: $crate::sql::Fragment =
            $crate::sql::fragment!($text $(, $fragment)*);
        fn path() -> &'static str {
            std::any::type_name_of_val(&path)
        }
        $crate::sql::Sql::<{ $crate::sql::count(STATEMENT) }>(
            $crate::sql::Template {
                text: STATEMENT,
                path,
                is_prepared: true,
            },
        )
    }};
}
pub(super) use sql;

/// Counts a statement's parameters.
pub(super) const fn count(statement: Fragment) -> usize {
    let text = statement.postgres.as_bytes();
    let (mut highest, mut at) = (0, 0);
    while at < text.len() {
        if text[at] == b'$' {
            let mut number = 0;
            while at + 1 < text.len() && text[at + 1].is_ascii_digit() {
                number = 10 * number + (text[at + 1] - b'0') as usize;
                at += 1;
            }
            if number > highest {
                highest = number;
            }
        }
        at += 1;
    }
    highest
}

/// Returns the length of a text with its fragments.
pub(super) const fn length(text: &str, fragments: &[Fragment], dialect: Dialect) -> usize {
    let mut length = text.len() - 2 * fragments.len();
    let mut index = 0;
    while index < fragments.len() {
        length += fragments[index].text(dialect).len();
        index += 1;
    }
    let (bytes, mut at) = (text.as_bytes(), 0);
    while at < bytes.len() {
        length += needs_sign(bytes, at, dialect) as usize;
        at += 1;
    }
    length
}

/// Whether a parameter of LIMIT begins here that needs a sign. SQLite reads a bare one while it plans, and so parses the statement again
/// whenever a value is bound.
const fn needs_sign(text: &[u8], at: usize, dialect: Dialect) -> bool {
    let (limit, mut matching) = (b"LIMIT ", 0);
    if !matches!(dialect, Dialect::Sqlite) || at < limit.len() || text[at] != b'$' {
        return false;
    }
    while matching < limit.len() && text[at - limit.len() + matching] == limit[matching] {
        matching += 1;
    }
    matching == limit.len()
}

/// Returns a text with its fragments.
pub(super) const fn fill<const N: usize>(
    text: &str,
    fragments: &[Fragment],
    dialect: Dialect,
) -> [u8; N] {
    let (text, mut filled) = (text.as_bytes(), [0; N]);
    let (mut from, mut to, mut index) = (0, 0, 0);
    while from < text.len() {
        if text[from] == b'{' && text[from + 1] == b'}' {
            let fragment = fragments[index].text(dialect).as_bytes();
            let mut at = 0;
            while at < fragment.len() {
                filled[to] = fragment[at];
                (to, at) = (to + 1, at + 1);
            }
            (from, index) = (from + 2, index + 1);
        } else {
            if needs_sign(text, from, dialect) {
                filled[to] = b'+';
                to += 1;
            }
            filled[to] = text[from];
            (from, to) = (from + 1, to + 1);
        }
    }
    assert!(index == fragments.len(), "each fragment needs a {{}}");
    filled
}

/// Returns a text that [`fill`] made.
pub(super) const fn utf8(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("fragments of UTF-8 are UTF-8"),
    }
}

const PLACEHOLDERS: &str = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, \
     $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48";

/// Returns the placeholders from one number to another.
pub(super) const fn placeholders(first: usize, last: usize) -> Fragment {
    let all = PLACEHOLDERS.as_bytes();
    let (mut number, mut begin, mut end) = (1, 0, 0);
    while end < all.len() {
        if all[end] == b',' {
            if number == last {
                break;
            }
            number += 1;
            if number == first {
                begin = end + 2;
            }
        }
        end += 1;
    }
    assert!(number == last, "there are more values than placeholders");
    Fragment::new(PLACEHOLDERS.split_at(end).0.split_at(begin).1)
}

/// Returns a list without the comma after its last name.
pub(super) const fn list(names: &'static str) -> Fragment {
    Fragment::new(names.split_at(names.len() - 2).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Fragment = Fragment::new("a.id, a.name");

    async fn find_something() -> Sql<2> {
        std::future::ready(()).await;
        sql!(
            "SELECT {} FROM accounts a WHERE a.id = $2 OR a.name = $1 AND a.id <> $2{}",
            COLUMNS,
            FOR_UPDATE
        )
    }

    #[tokio::test]
    async fn a_statement_has_its_fragments_and_the_name_of_its_function() {
        let Sql(template) = find_something().await;
        let shared =
            "SELECT a.id, a.name FROM accounts a WHERE a.id = $2 OR a.name = $1 AND a.id <> $2";
        assert_eq!(template.text.text(Dialect::Sqlite), shared);
        let locking = format!("{shared} FOR UPDATE");
        assert_eq!(template.text.text(Dialect::Postgres), locking);
        assert_eq!(template.name(), "find_something");
    }

    #[test]
    fn sqlite_does_not_read_a_limit_while_it_plans() {
        let statement = fragment!("SELECT {} FROM accounts a LIMIT $1 OFFSET $2", COLUMNS);
        let bare = "SELECT a.id, a.name FROM accounts a LIMIT $1 OFFSET $2";
        assert_eq!(statement.text(Dialect::Postgres), bare);
        let signed = bare.replace("LIMIT $", "LIMIT +$");
        assert_eq!(statement.text(Dialect::Sqlite), signed);
    }

    #[test]
    fn placeholders_have_their_numbers() {
        let text = |first, last| placeholders(first, last).text(Dialect::Sqlite);
        assert_eq!(text(1, 1), "$1");
        assert_eq!(text(2, 4), "$2, $3, $4");
        assert!(text(1, 40).ends_with(", $39, $40"));
        assert_eq!(count(placeholders(1, 40)), 40);
    }
}
