//! Tools over HTTP: direct invocation, and MCP.

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
