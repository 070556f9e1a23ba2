//! Events, conversations and runs of sessions, over HTTP. One file for each concern.

mod budgets;
mod calls;
mod endings;
mod ends;
mod events;
mod faults;
mod lapsed;
mod loops;
mod models;
mod prompts;
mod readers;
mod runs;
mod stops;
mod support;
mod usage;
