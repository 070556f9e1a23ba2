//! Public packages and includes. One file for each concern.

mod cycles;
mod includes;
mod publishing;
mod support;
