//! Tools over HTTP: direct invocation, and MCP.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod approvals;
mod authority;
mod clients;
mod injection;
mod invoking;
mod mcp;
mod schemas;
mod servers;
mod support;
