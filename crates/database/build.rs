//! Rebuilds the crate when a migration appears: the macro that embeds them does not see new folders.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
