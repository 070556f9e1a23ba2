//! Cards and boards at a moment of the past, of the rows of their history up to then (docs/design/history.md). What
//! this history doesn't hold is kept beside it by those who change it: columns (`teams/layouts.rs`), names of tags
//! (`card_tags.rs`), new ranks (`cards/placements/rank.rs`) and deleted cards (`cards.rs`).

mod attachments;
pub mod boards;
pub mod cards;
mod facts;
mod relations;
mod values;
