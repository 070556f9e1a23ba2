//! Jobs: work of this process outside of any request, under leases in the database. See `docs/design/runs.md` and
//! `docs/design/executions.md`.
//!
//! Handlers hold a [`client::JobClient`], a part of the application's state. It registers a job and queues it. The
//! [`host::JobHost`] is built on that state; it takes jobs off the queue and works on them. A new kind of job is a variant
//! of `domain::job::JobId`, its table in `store`, a module here and a line in the host.

pub mod client;
pub mod code_execution;
pub mod host;
mod lease;
mod registry;
