//! Uploads in pieces: the protocol and its official clients.

mod clients;
mod ends;
mod interruptions;
mod lengths;
mod library;
mod parts;
mod progress;
mod protocol;
mod replacements;
mod support;
