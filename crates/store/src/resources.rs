//! Reads and changes of the resources, each with the witness that `access` gave for it.

pub(crate) mod creation;
pub(crate) mod deployment;
pub(crate) mod idempotency;
pub(crate) mod jobs;
pub(crate) mod leases;
pub(crate) mod limits;
pub(crate) mod outbox;
pub(crate) mod store;

pub mod api_keys;
pub mod approvals;
pub mod audit;
pub mod boards;
pub mod card_tags;
pub mod cards;
pub mod change_events;
pub mod content;
pub mod conversation;
pub mod executions;
pub mod identity;
pub mod invitations;
pub mod mcp_servers;
pub mod members;
pub mod membership;
pub mod operators;
pub mod organizations;
pub mod projects;
pub mod resumable;
pub mod runs;
pub mod service_accounts;
pub mod session_events;
pub mod sessions;
pub mod sprints;
pub mod teams;
pub mod uploads;
pub mod usage;
