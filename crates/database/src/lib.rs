//! The way to PostgreSQL: configuration, connections, statements, transactions and errors.
//!
//! This crate knows no resource and no access rule. Only `store` may use it, so no other crate can run a statement.

mod address;
pub mod config;
pub mod connection;
mod database;
pub mod decode;
pub mod error;
mod migrations;
mod opening;
mod patience;
mod pool;
pub mod query;
pub mod schema;
mod sql_state;
mod start;
pub mod statement;
pub mod transaction;

pub use crate::database::Database;
pub use crate::patience::{LockTurn, Patience};

/// Everything that a module needs to write and run statements.
pub mod prelude {
    pub use diesel::prelude::*;

    pub use crate::connection::Connection;
    pub use crate::query::{OptionalExtension, RunQueryDsl};
    pub use crate::statement::Statement;
}
