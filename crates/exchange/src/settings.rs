//! Settings and errors that all readers share.

use domain::time::Zone;

/// Most issues of an export, by default.
pub const ISSUES_MAX: usize = 1_000_000;
/// Most deviations of an export.
pub const DEVIATIONS_MAX: usize = 200_000;
/// Most columns of a table. Jira repeats a column for each comment of the issue with the most.
pub const COLUMNS_MAX: usize = 20_000;

/// Settings of a reader.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Zone of times without one: that of the exporting site or person.
    pub zone: Zone,
    /// Most issues; exports with more are refused.
    pub issues_max: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { zone: Zone::UTC, issues_max: ISSUES_MAX }
    }
}

/// An export that can't be read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Nothing but white space.
    #[error("the file is empty")]
    Empty,
    /// The beginning is not that of the tool's exports.
    #[error("not an export of this tool: {0}")]
    OtherFormat(String),
    /// Not JSON, or nested too deeply.
    #[error("not JSON at line {line}, column {column}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column, from 1; 0 before the first character of a line.
        column: usize,
    },
    /// A line of an export of this service is not as it was written.
    #[error("line {line}: {reason}")]
    Line {
        /// Line, from 1.
        line: u64,
        /// Cause.
        reason: String,
    },
    /// An export of this service ends after this line, without its last one.
    #[error("the file is cut after line {0}")]
    Cut(u64),
    /// More issues than [`ReadOptions::issues_max`].
    #[error("more than {0} issues")]
    TooManyIssues(usize),
    /// More deviations than [`DEVIATIONS_MAX`].
    #[error("more than {DEVIATIONS_MAX} values that cards can't hold as they are")]
    TooManyDeviations,
    /// More columns than [`COLUMNS_MAX`].
    #[error("more than {COLUMNS_MAX} columns")]
    TooManyColumns,
}

impl From<serde_json::Error> for ReadError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json { line: error.line(), column: error.column() }
    }
}
