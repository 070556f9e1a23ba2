//! dataplane.

fn main() {}
