//! A project's content in Git's own object format: how objects become blobs, trees and commits, and how they
//! are read back.
//!
//! Pure: which objects a database holds, and how they get there, is `store`'s business. Not here: HTTP.

pub mod ancestry;
pub mod commit;
pub mod compare;
pub mod fields;
pub mod graph;
pub mod layout;
pub mod merge;
pub mod object;
pub mod pack;
pub mod pkt;
pub mod reach;
pub mod record;
pub mod upload_pack;
pub mod walk;
pub mod writer;

mod hanging;
mod resolutions;

pub use ancestry::CommonAncestor;
pub use commit::{Commit, FirstCommit, author, first_commit};
pub use compare::{Comparison, Differing};
pub use graph::{Depth, Graph, Needed, Selection, Wish};
pub use merge::{Merge, Merged};
pub use object::{Kind, NewObject, Oid};
pub use pack::PackWriter;
pub use reach::Reach;
pub use walk::{Files, Record, Walk};
pub use writer::{CommitWriter, Written};
