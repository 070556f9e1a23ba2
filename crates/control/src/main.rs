//! The control plane's binary: serves, migrates, and does operators' work. Small JSON requests, quick answers.

mod admin;
mod app;
mod authenticator;
mod cli;
mod events;
mod host;
mod jwks;
mod routes;
mod runs;
mod serve;
mod settings;
mod toolboxes;
mod upkeep;

use clap::Parser;
use wire::Stopped;

use crate::cli::{Cli, Command};

// A tenth less time for each request than the system's allocator, and what a static musl build needs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

// Not `actix_web::main`: embedded migrations block, which only the multi-threaded runtime allows.
#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Serve(settings) => {
            wire::init_logging(&settings.log)?;
            if serve::run(*settings).await? == Stopped::AtOnce {
                // Whatever still runs is not waited for.
                std::process::exit(1);
            }
            Ok(())
        }
        Command::Migrate(settings) => serve::migrate(&settings).await,
        Command::Admin(arguments) => admin::run(*arguments).await,
        Command::Openapi => {
            // Relative to where the document was read: this binary knows no address.
            println!("{:#}", routes::table().openapi("/"));
            Ok(())
        }
    }
}
