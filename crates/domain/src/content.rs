//! Content: projects, the objects in their trees, and the commits that keep them.

pub mod bom;
pub mod commit;
pub mod compare;
pub mod design;
pub mod edit;
pub mod field;
pub mod file_path;
pub mod git_name;
pub mod merge;
pub mod object;
pub mod object_text;
pub mod package;
pub mod preview;
pub mod project;
pub mod replacement;
pub mod snapshot;
pub mod upload;
pub mod uses;
pub mod version;
