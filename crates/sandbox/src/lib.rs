//! Runs untrusted work in a process of its own, which has no network, no files but the one handed over, and limits on
//! time, memory and output. It can start no other process, and ends with the one that started it.
//!
//! A worker can also become a program of others, whose files it may read until it starts.
//!
//! Two halves that know each other. [`Worker::run`] starts a program, hands it an open file and reads what it writes.
//! In that program [`work`] confines the process for good, before it looks at a single byte, and then does the work.
//! Nothing of it needs a privilege: the kernel lets every process give up rights. Not here: what the work is, and how
//! many workers run at a time.

mod confine;
mod limits;
mod outcome;
mod run;
mod work;

pub use limits::Limits;
pub use outcome::{Crash, CrashEnd, Outcome};
pub use run::{Output, Protection, Worker};
pub use work::{Assignment, Program, work};
