#!/usr/bin/env bash
# serde_json 1.0.154, serde 1.0.229 (crates.io).
#
# Where an enum of plain names is read and the JSON has a number, a boolean or null, the error is of the category
# `Syntax` ("expected value"), though the text is valid JSON; `is_data` is false. The same value read as a `String` is
# an error of `Data`. A service that tells "this is no JSON" from "this is not what I asked for" by the category sends
# the author of a wrong type to look for a missing bracket.
#
# Seen on 28 November 2026: `Syntax` for 1, true and null, `Data` for an unknown name, and `Data` for all of them as
# texts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat > Cargo.toml <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2024"

[dependencies]
serde = { version = "=1.0.229", features = ["derive"] }
serde_json = "=1.0.154"
TOML
cat > src/main.rs <<'RUST'
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Priority {
    Low,
    High,
}

fn main() {
    for text in ["1", "true", "null", "\"middle\""] {
        let of_enum = serde_json::from_str::<Priority>(text).expect_err("no name");
        let of_text = serde_json::from_str::<String>(text).map_err(|error| error.classify());
        println!("{text}: enum {:?} ({of_enum}), text {of_text:?}", of_enum.classify());
    }
    println!("{:?} {:?}", serde_json::from_str::<Priority>("\"low\""), serde_json::from_str::<Priority>("\"high\""));
}
RUST
cargo run -q > output 2> errors || { cat errors; exit 1; }
cat output
diff - output <<'TEXT'
1: enum Syntax (expected value at line 1 column 1), text Err(Data)
true: enum Syntax (expected value at line 1 column 1), text Err(Data)
null: enum Syntax (expected value at line 1 column 1), text Err(Data)
"middle": enum Data (unknown variant `middle`, expected `low` or `high` at line 1 column 8), text Ok("middle")
Ok(Low) Ok(High)
TEXT
