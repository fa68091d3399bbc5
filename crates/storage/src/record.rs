//! Records: types whose columns are listed once, for SELECT, for reading and for INSERT.

use super::{
    row::FromRow,
    sql::{Fragment, Template},
    statement::Values,
};

/// A type whose columns [`record!`] lists.
pub(super) trait Record: FromRow {
    /// What a statement selects to read it.
    const COLUMNS: Fragment;
}

/// A record that is inserted as it is read.
pub(super) trait Insert {
    const INSERT: Template;

    fn add_to(&self, values: &mut Values);
}

/// Lists the columns of a type, in the order in which they are read. Each has the name of its field; `field = "…"` is computed, and
/// `field { columns }` is a field that has several. With `of "table"`, an error names the table and the row. With `in "table"`, the type can
/// be inserted into it, too.
macro_rules! record {
    ($type:ident as $alias:ident in $table:literal { $($field:ident),+ $(,)? }) => {
        $crate::record::record!($type as $alias of $table { $($field),+ });

        impl $crate::record::Insert for $type {
            const INSERT: $crate::sql::Template = $crate::sql::Template {
                path: || concat!("insert into ", $table),
                ..$crate::sql::sql!(
                    concat!("INSERT INTO ", $table, " ({}) VALUES ({})"),
                    $crate::sql::list(concat!($(stringify!($field), ", "),+)),
                    $crate::sql::placeholders(1, [$(stringify!($field)),+].len())
                )
                .0
            };

            fn add_to(&self, values: &mut $crate::statement::Values) {
                $(values.add(&self.$field);)+
            }
        }
    };
    ($type:ident as $alias:ident $(of $table:literal)? { $($field:ident $(= $text:literal)? $({ $($column:ident),+ })?),+ $(,)? }) => {
        impl $crate::record::Record for $type {
            const COLUMNS: $crate::sql::Fragment = $crate::sql::list(concat!(
                $($crate::record::record!(@columns $alias $field $(= $text)? $({ $($column),+ })?)),+
            ));
        }

        impl $crate::row::FromRow for $type {
            const WIDTH: usize = 0 $(+ $crate::record::record!(@width $($($column)+)?))+;

            fn from_row(
                columns: &mut $crate::row::Columns<'_>,
            ) -> Result<Self, $crate::Error> {
                $crate::record::record!(@read columns $($table)? => Self { $($field: columns.read()?),+ })
            }
        }
    };
    (@read $columns:ident => $record:expr) => { Ok($record) };
    (@read $columns:ident $table:literal => $record:expr) => { $columns.row_of($table, |$columns| Ok($record)) };
    (@columns $alias:ident $field:ident) => { concat!(stringify!($alias), ".", stringify!($field), ", ") };
    (@columns $alias:ident $field:ident = $text:literal) => { concat!($text, ", ") };
    (@columns $alias:ident $field:ident { $($column:ident),+ }) => {
        concat!($(stringify!($alias), ".", stringify!($column), ", "),+)
    };
    (@width) => { 1 };
    (@width $($column:ident)+) => { [$(stringify!($column)),+].len() };
}
pub(super) use record;

/// Makes the statement that inserts a row of these values, and the values: `insert_into!("jobs" { kind: job.kind, due_at: now })`. The
/// rest of the statement may follow the table's name.
macro_rules! insert_into {
    ($table:literal $($rest:literal)? { $($column:ident: $value:expr),+ $(,)? }) => {
        (
            $crate::sql::sql!(
                concat!("INSERT INTO ", $table, " ({}) VALUES ({})" $(, $rest)?),
                $crate::sql::list(concat!($(stringify!($column), ", "),+)),
                $crate::sql::placeholders(1, [$(stringify!($column)),+].len())
            ),
            |values: &mut $crate::statement::Values| {
                $(values.add(&$value);)+
            },
        )
    };
}
pub(super) use insert_into;

/// Makes the statement that writes these values into the row with this key, and the values.
macro_rules! update {
    ($table:literal $key:ident = $key_value:expr => { $($column:ident: $value:expr),+ $(,)? }) => {
        (
            $crate::sql::sql!(
                concat!("UPDATE ", $table, " SET ({}) = ({}) WHERE ", stringify!($key), " = $1"),
                $crate::sql::list(concat!($(stringify!($column), ", "),+)),
                $crate::sql::placeholders(2, 1 + [$(stringify!($column)),+].len())
            ),
            |values: &mut $crate::statement::Values| {
                values.add(&$key_value);
                $(values.add(&$value);)+
            },
        )
    };
}
pub(super) use update;

#[cfg(test)]
mod tests {
    use super::super::sql::{Dialect, Sql};

    #[test]
    fn values_stand_beside_the_columns_that_take_them() {
        let Sql(template) =
            insert_into!("jobs" " ON CONFLICT DO NOTHING" { id: 1, kind: "a", tries: 2 }).0;
        let expected =
            "INSERT INTO jobs (id, kind, tries) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        assert_eq!(template.text.text(Dialect::Sqlite), expected);
        let Sql(template) = update!("jobs" id = 1 => { kind: "a", tries: 2 }).0;
        let expected = "UPDATE jobs SET (kind, tries) = ($2, $3) WHERE id = $1";
        assert_eq!(template.text.text(Dialect::Postgres), expected);
    }
}
