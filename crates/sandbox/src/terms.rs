//! The terms that the starting half passes to a worker.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::limits::Limits;

/// The environment variable that carries [`Terms`] as JSON.
pub(crate) const TERMS_VARIABLE: &str = "ATELIER_SANDBOX";

/// A foreign program that a worker becomes by `execve`, with everything that it may read and run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignProgram {
    /// Path of the executable.
    pub path: PathBuf,
    /// Arguments after the program's name.
    pub arguments: Vec<String>,
    /// Files and whole folders that it may read and run until it installs its filters.
    pub files: Vec<PathBuf>,
}

/// Task, limits and protection of one worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Terms {
    /// Text of the task.
    pub(crate) task: String,
    /// Resources that it may use.
    pub(crate) limits: Limits,
    /// Process id of the starting process.
    pub(crate) parent: i32,
    /// True to work even if the kernel can't confine it.
    pub(crate) unprotected: bool,
    /// The program to become; absent if the worker does the work.
    pub(crate) program: Option<ForeignProgram>,
}
