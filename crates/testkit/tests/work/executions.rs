//! Executions of Code objects and evaluation runs, over HTTP, with honest and hostile code. One file for each concern.

mod ends;
mod evaluation_runs;
mod hostile;
mod languages;
mod requests;
mod running;
mod support;
