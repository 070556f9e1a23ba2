#!/usr/bin/env bash
# csv 1.4.0 (crates.io).
#
# The position of a record says its line. In a file whose lines end with CR LF, each record after the first is said to
# stand one line before its own: the reader ends a record at CR, takes the position of the next one there, and counts
# the line at LF. With LF alone the lines are right. Excel and Jira write CR LF, so a message that names the line of a
# bad record names the one before it.
#
# Seen on 28 November 2026: three records on lines 1, 2, 3 with LF are on 1, 1, 2 with CR LF.
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
csv = "=1.4.0"
TOML
cat > src/main.rs <<'RUST'
fn main() {
    for (name, end) in [("LF", "\n"), ("CR LF", "\r\n")] {
        let text = ["key,name", "GEAR-1,a", "GEAR-2,b", ""].join(end);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let lines = reader.records().map(|record| record.unwrap().position().unwrap().line());
        println!("{name}: {:?}", lines.collect::<Vec<_>>());
    }
}
RUST
cargo run -q > output 2> errors || { cat errors; exit 1; }
cat output
diff - output <<'TEXT'
LF: [1, 2, 3]
CR LF: [1, 1, 2]
TEXT
