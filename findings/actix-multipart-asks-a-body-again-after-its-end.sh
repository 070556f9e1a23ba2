#!/usr/bin/env bash
# actix-multipart 0.8.5 (crates.io), with futures-util 0.3.
#
# `Multipart` polls the stream of a body once more after it has ended, for a complete and valid form. Streams need not
# bear that: one made by `futures_util::stream::unfold` panics, and what wraps such a stream has to be fused.
#
# Seen on 28 November 2026: for a form of one part the stream of its one chunk is asked again after its end; fused, the
# form is read.
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
actix-multipart = { version = "=0.8.5", default-features = false }
actix-web = { version = "4", default-features = false }
bytes = "1"
futures-util = "0.3"
tokio = { version = "1", features = ["macros", "rt"] }
TOML
cat > src/main.rs <<'RUST'
use std::cell::Cell;
use std::rc::Rc;

use actix_multipart::{Multipart, MultipartError};
use actix_web::error::PayloadError;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use bytes::Bytes;
use futures_util::stream::{self, StreamExt, TryStreamExt};

const FORM: &str = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n";

async fn read(mut form: Multipart) -> Result<Vec<Bytes>, MultipartError> {
    let mut values = Vec::new();
    while let Some(mut field) = form.try_next().await? {
        while let Some(chunk) = field.try_next().await? {
            values.push(chunk);
        }
    }
    Ok(values)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("multipart/form-data; boundary=b"));
    let (ends, seen) = (Rc::new(Cell::new(0)), Rc::default());
    let count = Rc::clone(&ends);
    let mut chunks = vec![Bytes::from_static(FORM.as_bytes())].into_iter();
    let body = stream::poll_fn(move |_| {
        let next = chunks.next();
        count.set(count.get() + usize::from(next.is_none()));
        std::task::Poll::Ready(next.map(Ok::<_, PayloadError>))
    });
    println!("{:?}", read(Multipart::new(&headers, body)).await.unwrap());
    println!("the end was told {}", if ends.get() > 1 { "more than once" } else { "once" });

    let seen: Rc<Cell<bool>> = seen;
    let told = Rc::clone(&seen);
    let body = stream::once(async { Ok::<_, PayloadError>(Bytes::from_static(FORM.as_bytes())) })
        .chain(stream::poll_fn(move |_| {
            assert!(!told.replace(true), "asked again");
            std::task::Poll::Ready(None)
        }))
        .fuse();
    println!("fused: {:?}", read(Multipart::new(&headers, Box::pin(body))).await.unwrap());
}
RUST
cargo run -q > output 2> errors || { cat errors; exit 1; }
cat output
diff - output <<'TEXT'
[b"1"]
the end was told more than once
fused: [b"1"]
TEXT
