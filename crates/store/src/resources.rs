//! Reads and changes of the resources, each with the witness that `access` gave for it.

pub(crate) mod audit;
pub(crate) mod creation;
pub(crate) mod deployment;
pub(crate) mod idempotency;
pub(crate) mod kept_addresses;
pub(crate) mod leases;
pub(crate) mod limits;
pub(crate) mod outbox;
pub(crate) mod store;

pub mod change_events;
pub mod content;
pub mod people;
pub mod planning;
pub mod work;
