#!/usr/bin/env bash
# rquickjs 0.14.0 (crates.io), with the QuickJS-ng that it brings.
#
# Where an evaluation passes the memory limit, the exception is usually an `InternalError: out of memory`; where no
# memory is left for that object, it is the value `null`. A host that tells "out of memory" by the error's message takes
# it for `throw null` of the script, and the other way round: the two look the same, also to the script's own `catch`.
#
# Seen on 27 November 2026: of 14 scripts that fill their memory, half end with `null`, as `throw null` does: chains of
# objects, closures and maps. A list of numbers ends with the error.
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
rquickjs = "=0.14.0"
TOML
cat > src/main.rs <<'RUST'
use rquickjs::{Context, Runtime, Value};

fn main() {
    for script in ["const kept = []; for (;;) kept.push(1.5);", "let o = null; for (;;) o = { o };", "throw null"] {
        let runtime = Runtime::new().expect("a runtime");
        runtime.set_memory_limit(4 << 20);
        let context = Context::full(&runtime).expect("a context");
        context.with(|context| {
            let ended = context.eval::<Value, _>(script);
            let thrown = context.catch();
            let text = thrown.as_exception().and_then(|error| error.message()).unwrap_or_default();
            println!("failed: {}, null: {}, message: {text:?}", ended.is_err(), thrown.is_null());
        });
    }
}
RUST
cargo run --quiet > seen
cat > expected <<'SEEN'
failed: true, null: false, message: "out of memory"
failed: true, null: true, message: ""
failed: true, null: true, message: ""
SEEN
diff expected seen
echo "as seen on 27 November 2026"
