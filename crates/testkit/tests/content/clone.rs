//! Projects as Git repositories, with the real `git`. One file for each concern.

mod by_name;
mod clients;
mod cloning;
mod lfs;
mod limited;
mod partial;
mod refusals;
mod support;
mod wire_protocol;
