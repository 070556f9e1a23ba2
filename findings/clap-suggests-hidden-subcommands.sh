#!/usr/bin/env bash
# clap 4.6.7 (crates.io).
#
# A subcommand with `hide(true)` is left out of help and of usage, yet a mistyped name is answered with it as "a
# similar subcommand": what a program hides because it is internal or retired is advertised to those who mistype. A
# hidden argument is suggested likewise.
#
# Seen on 27 November 2026: `worke` is answered with `worker`, `--interna` with `--internal`, and neither is in the
# help.
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
clap = "=4.6.7"
TOML
cat > src/main.rs <<'RUST'
use clap::{Arg, Command};

fn main() {
    let command = || {
        Command::new("tool")
            .subcommand(Command::new("serve"))
            .subcommand(Command::new("worker").hide(true))
            .arg(Arg::new("internal").long("internal").hide(true))
    };
    let help = command().render_long_help().to_string();
    println!("help has worker: {}, internal: {}", help.contains("worker"), help.contains("internal"));
    for mistyped in ["worke", "--interna=1"] {
        let error = command().try_get_matches_from(["tool", mistyped]).expect_err("mistyped").to_string();
        println!("{}", error.lines().find(|line| line.contains("tip")).unwrap_or("no tip").trim());
    }
}
RUST
cargo run --quiet > seen
cat > expected <<'SEEN'
help has worker: false, internal: false
tip: a similar subcommand exists: 'worker'
tip: a similar argument exists: '--internal'
SEEN
diff expected seen
echo "as seen on 27 November 2026"
