//! The way to PostgreSQL: configuration, connections, statements, transactions and errors.
//!
//! This layer knows no resource and no access rule. It imports nothing from the layers above it.

pub(crate) mod config;
pub(crate) mod connection;
pub(crate) mod database;
pub(crate) mod decode;
pub(crate) mod error;
pub(crate) mod migrations;
pub(crate) mod patience;
pub(crate) mod pool;
pub(crate) mod query;
pub(crate) mod schema;
pub(crate) mod statement;
pub(crate) mod transaction;

/// Everything that a module needs to write and run statements.
pub(crate) mod prelude {
    pub(crate) use diesel::prelude::*;

    pub(crate) use crate::db::connection::Connection;
    pub(crate) use crate::db::query::{OptionalExtension, RunQueryDsl};
    pub(crate) use crate::db::statement::Statement;
}
