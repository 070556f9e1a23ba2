//! Removes blobs that no file of any project refers to.
