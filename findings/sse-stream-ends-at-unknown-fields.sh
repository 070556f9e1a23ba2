#!/usr/bin/env bash
# sse-stream 0.2.6 (crates.io), through which rmcp 3.9 reads answers of MCP servers.
#
# The HTML standard (9.2.6, "Interpreting an event stream") has a reader ignore lines whose field name it doesn't
# know, and treat a line without a colon as a field with an empty value. sse-stream ends the stream with `invalid
# line` at both, and everything after them in the same chunk is lost. A second `id` or `event` line, of which the last
# one counts, ends it with an error, too.
#
# Seen on 27 November 2026: each of the four streams below has one event by the standard; sse-stream gives it for the
# first alone.
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
bytes = "=1.12.1"
futures = "=0.3.33"
sse-stream = "=0.2.6"
TOML
cat > src/main.rs <<'RUST'
use bytes::Bytes;
use futures::{executor::block_on, stream, StreamExt};
use sse_stream::SseStream;
use std::convert::Infallible;

fn main() {
    for text in [
        "data: hello\n\n",
        "trace: 7\ndata: hello\n\n",
        "data: hello\ndone\n\n",
        "id: 1\nid: 2\ndata: hello\n\n",
    ] {
        let body = stream::iter([Ok::<_, Infallible>(Bytes::from(text))]);
        let events = block_on(SseStream::from_bytes_stream(body).collect::<Vec<_>>());
        let shown: Vec<String> = events
            .into_iter()
            .map(|event| match event {
                Ok(event) => event.data.unwrap_or_default(),
                Err(error) => format!("error: {error}"),
            })
            .collect();
        println!("{text:?} {}", shown.join(", "));
    }
}
RUST
cargo run --quiet > seen
cat > expected <<'SEEN'
"data: hello\n\n" hello
"trace: 7\ndata: hello\n\n" error: invalid line
"data: hello\ndone\n\n" error: invalid line
"id: 1\nid: 2\ndata: hello\n\n" error: duplicated id line
SEEN
diff expected seen
echo "as seen on 27 November 2026"
