//! The bandwidth that a user allows.

use std::num::NonZeroU64;

use client::{Bandwidth, Client};

/// The client with the bandwidth that the user has set.
pub(crate) fn limited(client: &Client, bytes_per_second: Option<NonZeroU64>) -> Client {
    match bytes_per_second {
        Some(rate) => client.with_bandwidth(Bandwidth::new(rate)),
        None => client.clone(),
    }
}
