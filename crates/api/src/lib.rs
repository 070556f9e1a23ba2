//! The operations of both planes, each declared once with its types: the services bind handlers to them, clients call
//! them, and the documents, the tools and the reference are made of them. [`declare`] shows how one is declared.
//!
//! A type has the name of its schema in the OpenAPI document. Bodies end in `Request`, answers in `Response`, the
//! parameters of a query in `Query`, those of a path in `Path`. Records that several answers show are in [`domain`].

pub mod change_events;
pub mod content;
pub mod control;
pub mod dataplane;
pub mod declare;
pub mod operation;
pub mod page;
pub mod people;
pub mod planning;
pub mod tags;
pub mod work;
