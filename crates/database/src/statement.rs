//! A statement from a `.sql` file with bound parameters, prepared once per connection.
//!
//! diesel never caches its own `sql_query`: PostgreSQL would parse and plan it on every call.

use std::borrow::Cow;

use diesel::expression::AsExpression;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{SingleValue, SqlType, Untyped};

/// An SQL text with `$1`, `$2`, ... for the values that are bound in that order.
pub struct Statement<'a> {
    sql: Cow<'static, str>,
    binds: Vec<Box<dyn QueryFragment<Pg> + Send + 'a>>,
}

impl<'a> Statement<'a> {
    /// The statement without bound values.
    pub fn new(sql: impl Into<Cow<'static, str>>) -> Self {
        Self { sql: sql.into(), binds: Vec::new() }
    }

    /// Binds the next value, of SQL type `T`.
    pub fn bind<T, V>(mut self, value: V) -> Self
    where
        T: SqlType + SingleValue,
        V: AsExpression<T>,
        V::Expression: QueryFragment<Pg> + Send + 'a,
    {
        self.binds.push(Box::new(value.as_expression()));
        self
    }
}

impl QueryFragment<Pg> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let mut pieces = without_heading(&self.sql).split('$');
        out.push_sql(pieces.next().unwrap_or_default());
        for piece in pieces {
            let digits = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
            let (number, rest) = piece.split_at(digits);
            let bind = number.parse::<usize>().ok().and_then(|n| self.binds.get(n.checked_sub(1)?));
            let missing =
                || diesel::result::Error::QueryBuilderError(format!("${number} is not bound").into());
            // A value that is used twice is bound twice: diesel numbers the parameters.
            bind.ok_or_else(missing)?.walk_ast(out.reborrow())?;
            out.push_sql(rest);
        }
        Ok(())
    }
}

impl Query for Statement<'_> {
    type SqlType = Untyped;
}

impl QueryId for Statement<'_> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<C> diesel::RunQueryDsl<C> for Statement<'_> {}

/// The statement without the comment at its beginning: parameters in the comment would be bound.
fn without_heading(mut sql: &str) -> &str {
    while sql.starts_with("--") {
        sql = sql.split_once('\n').map_or("", |(_, rest)| rest);
    }
    sql
}
