//! Operations on the content of projects: objects, files, branches, commits, packages, uploads.

pub mod bom;
pub mod branches;
pub mod changes;
pub mod commits;
pub mod compare;
pub mod downloads;
pub mod files;
pub mod git;
pub mod includes;
pub mod merges;
pub mod objects;
pub mod packages;
pub mod previews;
pub mod projects;
pub mod uploads;
