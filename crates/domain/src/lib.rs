//! Types and rules of Atelier: ids, validated text, errors and resources.
//!
//! Not here: I/O, HTTP, SQL. A string or number that another crate could mix up has a type here, which only a checking
//! `parse` makes.

pub mod content;
pub mod error;
pub mod event;
pub mod format;
pub mod id;
pub mod key;
pub mod page;
pub mod patch;
pub mod people;
pub mod planning;
pub mod position;
pub mod rate;
pub mod search;
pub mod secret;
pub mod text;
pub mod time;
pub mod work;

pub use error::code::Code;
pub use error::{Error, Result, Rule};
