//! The operations of both planes, each declared once with its types: the services bind handlers to them, clients call
//! them, and the documents, the tools and the reference are made of them. [`declare`] shows how one is declared.
//!
//! A type has the name of its schema in the OpenAPI document. Bodies end in `Request`, answers in `Response`, the
//! parameters of a query in `Query`, those of a path in `Path`. Records that several answers show are in [`domain`].

pub mod api_keys;
pub mod approvals;
pub mod audit;
pub mod boards;
pub mod branches;
pub mod card_tags;
pub mod cards;
pub mod change_events;
pub mod changes;
pub mod commits;
pub mod compare;
pub mod control;
pub mod dataplane;
pub mod declare;
pub mod downloads;
pub mod evaluation_runs;
pub mod executions;
pub mod files;
pub mod git;
pub mod history;
pub mod includes;
pub mod invitations;
pub mod mcp;
pub mod mcp_servers;
pub mod me;
pub mod merges;
pub mod models;
pub mod objects;
pub mod operation;
pub mod organizations;
pub mod packages;
pub mod page;
pub mod projects;
pub mod sessions;
pub mod sign_in;
pub mod sprints;
pub mod tags;
pub mod teams;
pub mod uploads;
pub mod usage;
