//! What `cargo xtask bench` measures the data plane against: the least that a program can do with an upload. Both
//! contestants are sent the same bytes; neither of these looks into them.

mod handler;
mod receiver;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// A yardstick of `cargo xtask bench`.
#[derive(Parser)]
struct Cli {
    /// Where to listen
    #[arg(long)]
    listen: SocketAddr,
    /// Where to put what arrives
    #[arg(long)]
    folder: PathBuf,
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// One thread that receives, hashes with SHA-256 and writes
    Receiver,
    /// A handler of actix-web that receives and writes
    Handler,
}

fn main() -> anyhow::Result<()> {
    let Cli { listen, folder, kind } = Cli::parse();
    match kind {
        Kind::Receiver => receiver::serve(listen, &folder),
        Kind::Handler => handler::serve(listen, folder),
    }
}
