#!/usr/bin/env bash
# gltf 1.4.1 (crates.io), the reader of glTF files for Rust.
#
# The specification of glTF 2.0 (3.5.1, and `scene.schema.json`) has the list of a scene's root nodes optional: without
# one, the scene is empty. The crate refuses the file, also if it is asked not to validate. Its validation refuses files
# that require KHR_mesh_quantization, which changes only the types of numbers that its own `Accessor` reads.
#
# Seen on 28 November 2026: both documents below are valid glTF 2.0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat > Cargo.toml <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2021"

[dependencies]
gltf = { version = "=1.4.1", default-features = false }
TOML
cat > src/main.rs <<'RUST'
use gltf::Gltf;

fn main() {
    let empty = br#"{"asset": {"version": "2.0"}, "scenes": [{}]}"#;
    let quantized = br#"{"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_mesh_quantization"],
        "extensionsRequired": ["KHR_mesh_quantization"]}"#;
    println!("{:?}", Gltf::from_slice_without_validation(empty).map(|_| ()));
    println!("{:?}", Gltf::from_slice(quantized).map(|_| ()));
}
RUST
cargo run --quiet > seen
cat > expected <<'SEEN'
Err(Deserialize(Error("missing field `nodes`", line: 1, column: 43)))
Err(Validation([(Path("extensionsRequired[0] = \"KHR_mesh_quantization\""), Unsupported)]))
SEEN
diff expected seen
echo "as seen on 28 November 2026"
