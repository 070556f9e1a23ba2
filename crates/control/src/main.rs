//! The control plane's binary: serves, migrates, and does operators' work. Small JSON requests, quick answers.

mod admin;
mod app;
mod authenticator;
mod change_feed;
mod cli;
mod credentials;
mod evaluation_runs;
mod files;
mod importer;
mod job_client;
mod jobs;
mod kept;
mod mail;
mod maintenance;
mod pages;
mod portrait;
mod routes;
mod serve;
mod sessions;
mod settings;
mod streams;
mod text_indexer;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use wire::Shutdown;

use crate::cli::{Cli, Command};

// A tenth faster per request than the system's allocator; a static musl build needs it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().command {
        // A worker confines its first thread, so no other thread may exist yet.
        Command::Execute => Ok(execution::work()),
        Command::Draw => Ok(portrait::work()),
        command => run(command),
    }
}

// Not `actix_web::main`: embedded migrations block, which needs the multi-threaded runtime.
#[tokio::main]
async fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve(settings) => {
            wire::init_logging(&settings.log)?;
            wire::warn_of_unknown_settings(&Cli::command());
            if serve::run(*settings).await? == Shutdown::Immediate {
                // Requests that still run are abandoned.
                std::process::exit(1);
            }
        }
        Command::Migrate(settings) => serve::migrate(&settings).await?,
        Command::Admin(arguments) => admin::run(*arguments).await?,
        // Relative to the document: this binary knows no address.
        Command::Openapi => println!("{:#}", routes::table().openapi("/")),
        Command::Execute | Command::Draw => {}
    }
    Ok(ExitCode::SUCCESS)
}
