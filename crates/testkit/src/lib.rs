//! What tests share: services of their own to run against.

pub mod redis;
