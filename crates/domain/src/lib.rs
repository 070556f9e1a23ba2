//! Types and rules of Atelier: ids, validated text, errors and resources.
//!
//! Not here: I/O, HTTP, SQL. A string or number that another crate could mix up has a type here, which only a checking
//! `parse` makes.

pub mod account;
pub mod api_key;
pub mod approval;
pub mod audit;
pub mod available;
pub mod board;
pub mod card;
pub mod commit;
pub mod compare;
pub mod conversation;
pub mod design;
pub mod edit;
pub mod email;
pub mod error;
pub mod event;
pub mod execution;
pub mod field;
pub mod file_path;
pub mod format;
pub mod git_name;
pub mod history;
pub mod id;
pub mod invitation;
pub mod mcp_server;
pub mod member;
pub mod merge;
pub mod object;
pub mod organization;
pub mod package;
pub mod page;
pub mod patch;
pub mod permission;
pub mod position;
pub mod project;
pub mod rate;
pub mod replacement;
pub mod role;
pub mod search;
pub mod secret;
pub mod session;
pub mod snapshot;
pub mod sprint;
pub mod status;
pub mod tag;
pub mod team;
pub mod text;
pub mod time;
pub mod tool;
pub mod upload;
pub mod usage;
pub mod version;

pub use error::code::Code;
pub use error::{Error, Result, Rule};
