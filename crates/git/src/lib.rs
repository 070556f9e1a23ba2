//! A project's content in Git's object format: writing objects as blobs, trees and commits, and reading them back.
//!
//! Pure: `store` loads and saves the Git objects. Not here: HTTP.

pub mod ancestry;
pub mod commit;
pub mod compare;
pub mod fields;
pub mod filter;
mod first_commit;
pub mod graph;
pub mod layout;
pub mod merge;
pub mod object;
pub mod pack;
pub mod pkt;
pub mod reach;
pub mod record;
pub mod trace;
pub mod upload_pack;
pub mod walk;
pub mod writer;

mod resolutions;
mod tree_draft;

pub use ancestry::CommonAncestor;
pub use commit::{Commit, author};
pub use compare::{Comparison, Difference};
pub use filter::PackFilter;
pub use first_commit::{FirstCommit, first_commit};
pub use graph::{CommitSelection, Depth, Graph, NeededCommits, Wish};
pub use merge::{Merge, MergeResult};
pub use object::{GitObjectKind, NewGitObject, Oid};
pub use pack::PackWriter;
pub use reach::{PackContent, Reach};
pub use trace::Trace;
pub use walk::{Files, ObjectRecord, Walk};
pub use writer::{CommitWriter, WrittenCommit};
