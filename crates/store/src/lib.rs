//! All SQL, all transactions, and every decision on who may do what to which resource.
//!
//! The crate hands out no connection. [`Store::read`], [`Store::mutate`] and [`Store::create`] open the
//! transaction, resolve what the request names (absent or hidden: 404; visible without the role: 403), and give
//! the work a witness of that; every function that touches a resource demands its witness. PostgreSQL is the
//! truth of the service.

mod access;
mod audit;
mod call;
mod connect;
mod creation;
mod decode;
mod failure;
mod idempotency;
mod leases;
mod pools;
mod schema;
mod statement;
mod transaction;

pub mod api_keys;
pub mod boards;
pub mod card_tags;
pub mod cards;
pub mod content;
pub mod conversation;
pub mod executions;
pub mod identity;
pub mod mcp_servers;
pub mod membership;
pub mod migrations;
pub mod organizations;
pub mod projects;
pub mod resumable;
pub mod runs;
pub mod session_events;
pub mod sessions;
pub mod sharing;
pub mod sprints;
pub mod teams;
pub mod uploads;
pub mod usage;

pub use access::api_key::OwnApiKey;
pub use access::board_card::{BoardCard, BoardCardRef};
pub use access::card::{Card, CardRef};
pub use access::execution::{Execution, ExecutionRef, OwnExecution, OwnExecutionRef};
pub use access::linked_projects::{LinkedTeam, LinkedTeamRef};
pub use access::organization::Organization;
pub use access::owner::Owner;
pub use access::project::{Branch, Project};
pub use access::resumable_upload::{ResumableUpload, ResumableUploadRef};
pub use access::session::{Session, SessionRef};
pub use access::sprint::{Sprint, SprintRef};
pub use access::status::{Status, StatusRef};
pub use access::tag::{Tag, TagRef};
pub use access::team::{Team, TeamRef};
pub use access::team_project::{TeamProject, TeamProjectRef};
pub use access::user::{Me, User};
pub use call::{Call, CallContext, Idempotency, Outcome};
pub use connect::{DatabaseConfig, Store};
pub use transaction::Tx;
