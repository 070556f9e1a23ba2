//! Runs untrusted code: JavaScript by QuickJS, Python by the deployment's CPython. Each program has a confined process
//! (`sandbox`), and can only send messages to the process that started it.
//!
//! The crate has two halves. [`Engine::run`] starts a worker, publishes its output and answers its calls; [`work`] is the
//! worker. Messages of a worker are untrusted: the code may have taken it over. Not here: the targets that calls may
//! reach, and the storage of output (`control`).

mod engine;
mod frame;
mod javascript;
mod limits;
mod mask;
mod message;
mod python;
mod transcript;
mod worker;
mod zones;

pub use engine::{Engine, Settings, SourceCode};
pub use message::{Ask, CallAnswer};
pub use transcript::OutputPiece;
pub use worker::work;
