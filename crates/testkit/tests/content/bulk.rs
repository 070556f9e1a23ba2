//! Several files in one request. One file for each concern.

mod archives;
mod ends;
mod existing;
mod folders;
mod progress;
mod requests;
mod support;
