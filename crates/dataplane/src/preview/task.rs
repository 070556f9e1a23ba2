//! The task of a worker process that draws a file.

use std::time::Duration;

use domain::content::preview::{DerivedFormat, PreviewKind};
use domain::text::Name;
use serde::{Deserialize, Serialize};

/// The worker's task, sent beside the file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PreviewTask {
    /// The client's name for the file.
    pub(super) name: Name,
    /// The way in which it is shown.
    pub(super) kind: PreviewKind,
    /// Settings of the conversion whose objects have the numbers in the preview.
    pub(super) readers: import::Settings,
    /// Longest time to make the faces of a design.
    pub(super) faces: Duration,
    /// The one file to make, of a part; `None` for a preview of the whole file. Small pictures of further parts come with
    /// that of one.
    pub(super) only: Option<(u32, DerivedFormat)>,
}
