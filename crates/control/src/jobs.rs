//! Jobs: work of this process outside of any request, under leases in the database. See `docs/design/runs.md` and
//! `docs/design/executions.md`.
//!
//! Handlers hold a [`client::JobClient`], a part of the application's state. It registers a job and queues it. The
//! [`host::JobHost`] is built on that state; it takes jobs off the queue and works on them. `docs/design/runs.md`
//! lists the places of a new kind of job.

pub mod client;
pub mod code_execution;
pub mod host;
mod lease;
mod registry;
