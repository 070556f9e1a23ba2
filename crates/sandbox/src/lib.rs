//! Runs untrusted work in a separate process: no network, no file except one open input, and limits on time, memory and
//! output. A worker can't start processes, and ends with the process that started it.
//!
//! A worker can also become a foreign program, whose files it may read until that program installs its filters.
//!
//! The crate has two halves. [`Worker::run`] starts a program with an open input and reads its output. In that program
//! [`work`] confines the process before it reads a single byte, and then does the work. No privilege is needed: every
//! process may give up rights. [`Turns`] decides whose worker starts next. Not here: the work itself.

mod confine;
mod limits;
mod outcome;
mod run;
mod terms;
mod turns;
mod work;

pub use confine::NICENESS;
pub use limits::Limits;
pub use outcome::{Crash, CrashEnd, WorkerEnd};
pub use run::{Output, Protection, Worker};
pub use terms::ForeignProgram;
pub use turns::{Permit, Turns};
pub use work::{UNPROTECTED, WorkContext, work};
