//! Reference servers for the benchmarks: the least work of an upload, and Git's own server of repositories.

mod handler;
mod receiver;
mod repositories;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// A yardstick of `cargo xtask bench`.
#[derive(Parser)]
struct Cli {
    /// Address to listen at
    #[arg(long)]
    listen: SocketAddr,
    /// Folder of received files, or of repositories
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
    /// Git's own server
    Repositories,
}

fn main() -> anyhow::Result<()> {
    let Cli { listen, folder, kind } = Cli::parse();
    match kind {
        Kind::Receiver => receiver::serve(listen, &folder),
        Kind::Handler => handler::serve(listen, folder),
        Kind::Repositories => repositories::serve(listen, folder),
    }
}
