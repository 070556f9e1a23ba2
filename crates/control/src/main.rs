//! The control plane's binary: serves, migrates, and does operators' work. Small JSON requests, quick answers.

mod admin;
mod app;
mod authenticator;
mod cli;
mod events;
mod executions;
mod host;
mod jwks;
mod packs;
mod reader;
mod routes;
mod runs;
mod serve;
mod settings;
mod toolboxes;
mod under_way;
mod upkeep;

use std::process::ExitCode;

use clap::Parser;
use wire::Stopped;

use crate::cli::{Cli, Command};

// A tenth less time for each request than the system's allocator, and what a static musl build needs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().command {
        // It confines its first thread, so there must be no other yet.
        Command::Execute => Ok(execution::work()),
        command => run(command),
    }
}

// Not `actix_web::main`: embedded migrations block, which only the multi-threaded runtime allows.
#[tokio::main]
async fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve(settings) => {
            wire::init_logging(&settings.log)?;
            if serve::run(*settings).await? == Stopped::AtOnce {
                // Whatever still runs is not waited for.
                std::process::exit(1);
            }
        }
        Command::Migrate(settings) => serve::migrate(&settings).await?,
        Command::Admin(arguments) => admin::run(*arguments).await?,
        // Relative to where the document was read: this binary knows no address.
        Command::Openapi => println!("{:#}", routes::table().openapi("/")),
        Command::Execute => {}
    }
    Ok(ExitCode::SUCCESS)
}
