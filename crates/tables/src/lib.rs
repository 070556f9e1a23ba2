//! Answers as tables that people open as spreadsheets, in CSV and as workbooks.
//!
//! Pure: a table comes in, bytes go out.

pub mod bom;
pub mod cards;
pub mod flow;
pub mod table;
