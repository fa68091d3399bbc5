//! Statements with their values, encoded for the engine that runs them.

use sqlx::{
    Arguments as _, AssertSqlSafe, Encode, Postgres, SqlSafeStr as _, SqlStr, Sqlite, Type,
    error::BoxDynError,
    postgres::{PgArguments, PgHasArrayType},
    sqlite::SqliteArguments,
};

use super::{
    Error,
    sql::{Dialect, Template},
};

/// A value of one column. `stored.rs` says how those of the domain are stored.
#[diagnostic::on_unimplemented(message = "storage/stored.rs does not say how `{Self}` is stored")]
pub(super) trait Bind {
    /// The type that both engines have for it.
    type Raw<'a>: Raw<'a>
    where
        Self: 'a;

    /// Returns the stored form.
    fn raw(&self) -> Result<Self::Raw<'_>, BoxDynError>;
}

/// A type that both engines have.
pub(super) trait Raw<'q>:
    Encode<'q, Sqlite> + Type<Sqlite> + Encode<'q, Postgres> + Type<Postgres> + PgHasArrayType + 'q
{
}

impl<'q, T> Raw<'q> for T where
    T: Encode<'q, Sqlite>
        + Type<Sqlite>
        + Encode<'q, Postgres>
        + Type<Postgres>
        + PgHasArrayType
        + 'q
{
}

impl<T: Bind + ?Sized> Bind for &T {
    type Raw<'a>
        = T::Raw<'a>
    where
        Self: 'a;

    fn raw(&self) -> Result<T::Raw<'_>, BoxDynError> {
        (**self).raw()
    }
}

impl<T: Bind> Bind for Option<T> {
    type Raw<'a>
        = Option<T::Raw<'a>>
    where
        Self: 'a;

    fn raw(&self) -> Result<Self::Raw<'_>, BoxDynError> {
        self.as_ref().map(T::raw).transpose()
    }
}

/// Values in the encoding of an engine.
#[derive(Debug, Clone)]
pub(super) enum Arguments {
    Sqlite(SqliteArguments),
    Postgres(PgArguments),
}

/// The values of a statement while they are added.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) arguments: Arguments,
    /// What the statement's text begins with because of them.
    pub(super) prefix: String,
    /// Whether the statement is prepared.
    pub(super) is_prepared: bool,
    failure: Option<BoxDynError>,
}

impl Values {
    fn new(dialect: Dialect, is_prepared: bool) -> Self {
        Self {
            arguments: match dialect {
                Dialect::Sqlite => Arguments::Sqlite(SqliteArguments::default()),
                Dialect::Postgres => Arguments::Postgres(PgArguments::default()),
            },
            prefix: String::new(),
            is_prepared: is_prepared || dialect == Dialect::Sqlite,
            failure: None,
        }
    }

    /// Adds the value of the next parameter.
    pub(super) fn add(&mut self, value: &(impl Bind + ?Sized)) {
        let added = value.raw().and_then(|raw| match &mut self.arguments {
            Arguments::Sqlite(arguments) => arguments.add(raw),
            Arguments::Postgres(arguments) => arguments.add(raw),
        });
        self.check(added);
    }

    /// Notes that a value could not be encoded.
    pub(super) fn check(&mut self, added: Result<(), BoxDynError>) {
        self.failure = self.failure.take().or(added.err());
    }
}

/// The values of a statement: none as `()`, one as `[value]`, some as a tuple, many by a closure; or a table,
/// [`Input`](super::input::Input).
#[diagnostic::on_unimplemented(
    message = "the statement has {PARAMETERS} parameters: pass a tuple, or one value as `[value]`"
)]
pub(super) trait Parameters<const PARAMETERS: usize> {
    fn add_to(self, values: &mut Values);
}

impl Parameters<0> for () {
    fn add_to(self, _values: &mut Values) {}
}

impl<T: Bind> Parameters<1> for [T; 1] {
    fn add_to(self, values: &mut Values) {
        values.add(&self[0]);
    }
}

impl<F: FnOnce(&mut Values), const N: usize> Parameters<N> for F {
    fn add_to(self, values: &mut Values) {
        self(values);
    }
}

macro_rules! tuples {
    ($($count:literal: $($type:ident)+;)+) => {$(
        impl<$($type: Bind),+> Parameters<$count> for ($($type,)+) {
            fn add_to(self, values: &mut Values) {
                #[expect(non_snake_case, reason = "each value has the name of its type")]
                let ($($type,)+) = self;
                $(values.add(&$type);)+
            }
        }
    )+};
}

tuples! {
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E F;
    7: A B C D E F G;
    8: A B C D E F G H;
    9: A B C D E F G H I;
    10: A B C D E F G H I J;
    11: A B C D E F G H I J K;
    12: A B C D E F G H I J K L;
    14: A B C D E F G H I J K L M N;
}

/// A statement that can be run.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    template: Template,
    pub(super) text: SqlStr,
    pub(super) is_prepared: bool,
    pub(super) arguments: Arguments,
}

impl Statement {
    pub(super) fn new<const N: usize>(
        dialect: Dialect,
        template: Template,
        parameters: impl Parameters<N>,
    ) -> Result<Self, Error> {
        let mut values = Values::new(dialect, template.is_prepared);
        parameters.add_to(&mut values);
        if let Some(failure) = values.failure {
            return Err(Error::Internal(failure));
        }
        let text = template.text.text(dialect);
        Ok(Self {
            template,
            text: if values.prefix.is_empty() {
                text.into_sql_str()
            } else {
                AssertSqlSafe(values.prefix + text).into_sql_str()
            },
            is_prepared: values.is_prepared,
            arguments: values.arguments,
        })
    }

    /// Returns the name of the function that runs it.
    pub(super) fn name(&self) -> &'static str {
        self.template.name()
    }
}
