#!/usr/bin/env bash
# jsonschema 0.60.2 (crates.io).
#
# `Validator::iter_errors` returns an iterator, yet looks at the whole instance and builds every error before it gives
# the first one. `iter_errors(…).take(10)`, written to bound the work on wrong input, bounds nothing: a list of 10^6
# wrong elements takes as long with `take(1)` as without. `Validator::validate`, which stops at the first error, is
# thousands of times as fast; there is nothing between the two, so lists are counted before they are looked at.
#
# Seen on 27 November 2026: one error by iter_errors takes over a tenth of the time of all of them, and over a hundred
# times that of validate.
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
jsonschema = { version = "=0.60.2", default-features = false }
serde_json = "=1.0.154"
TOML
cat > src/main.rs <<'RUST'
use serde_json::{json, Value};
use std::time::Instant;

fn main() {
    let schema = json!({ "type": "array", "items": { "type": "string" } });
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let wrong = Value::from(vec![Value::from(1); 1_000_000]);
    let began = Instant::now();
    assert!(validator.validate(&wrong).is_err());
    let validate = began.elapsed().as_secs_f64();
    let began = Instant::now();
    assert_eq!(validator.iter_errors(&wrong).take(1).count(), 1);
    let one = began.elapsed().as_secs_f64();
    let began = Instant::now();
    assert_eq!(validator.iter_errors(&wrong).count(), 1_000_000);
    let all = began.elapsed().as_secs_f64();
    eprintln!("validate {validate:.6} s, one error {one:.6} s, all errors {all:.6} s");
    println!("one is over a tenth of all: {}", one > all / 10.0);
    println!("one is over a hundred times validate: {}", one > validate * 100.0);
}
RUST
cargo run --quiet --release > seen
cat > expected <<'SEEN'
one is over a tenth of all: true
one is over a hundred times validate: true
SEEN
diff expected seen
echo "as seen on 27 November 2026"
