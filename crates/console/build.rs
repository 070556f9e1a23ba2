//! Embeds new files of the console as well as changed ones.

fn main() {
    println!("cargo:rerun-if-changed=assets");
}
