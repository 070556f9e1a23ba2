//! Reads and changes of the resources, each with the witness that `access` gave for it.

pub(crate) mod audit;
pub(crate) mod branch_objects;
pub(crate) mod creation;
pub(crate) mod deployment;
pub(crate) mod git_objects;
pub(crate) mod idempotency;
pub(crate) mod kept_addresses;
pub(crate) mod leases;
pub(crate) mod limits;
pub(crate) mod outbox;
pub(crate) mod store;
pub(crate) mod stored_files;
pub(crate) mod uncommitted;

pub mod change_events;
pub mod content;
pub mod people;
pub mod planning;
pub mod work;
