//! Bills of materials, and where parts are used. One file for each concern.

mod bills;
mod packages;
mod support;
mod tables;
mod uses;
