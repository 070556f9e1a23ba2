//! Runs code of strangers: JavaScript by QuickJS, Python by the deployment's CPython, each in a confined process of its
//! own (`sandbox`), whose one way out are messages to the process that started it.
//!
//! Two halves. [`Engine::run`] starts a worker, takes what it writes, and has its messages answered; [`work`] is the
//! worker. Nothing that a worker sends is believed: the worker can be the code's own by then. Not here: what the messages
//! may reach, and where output is kept (`control`).

mod engine;
mod frame;
mod javascript;
mod message;
mod python;
mod transcript;
mod worker;

pub use engine::{Engine, Job, Settings};
pub use message::{Answer, Ask};
pub use transcript::Piece;
pub use worker::work;
