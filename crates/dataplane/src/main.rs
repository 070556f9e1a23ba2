//! The data plane's binary.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use dataplane::settings::ServeSettings;
use dataplane::{convert, routes, serve};
use wire::Stopped;

/// The server that a document names which was not read from one.
const OPENAPI_URL: &str = "http://127.0.0.1:8081";

// The bytes of an upload are allocated by one thread and freed by others: the system's allocator gives them back at
// once, where mimalloc lets them pile up to tens of MiB. musl's own is too slow for anything.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Atelier's data plane.
#[derive(Parser)]
#[command(name = "dataplane", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What the binary can do.
#[derive(Subcommand)]
enum Command {
    /// Serve requests until SIGTERM or SIGINT.
    Serve(Box<ServeSettings>),
    /// Print the OpenAPI document of the data plane.
    Openapi,
    /// Convert one file for the service that started this.
    #[command(name = convert::WORKER, hide = true)]
    Convert,
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().command {
        // It confines its first thread, so there must be no other yet.
        Command::Convert => return Ok(convert::work()),
        Command::Serve(settings) => {
            wire::init_logging(&settings.log)?;
            serve(*settings)?;
        }
        Command::Openapi => println!("{:#}", routes::table().openapi(OPENAPI_URL)),
    }
    Ok(ExitCode::SUCCESS)
}

// Not `actix_web::main`: connections to PostgreSQL and Redis are driven by this runtime, not by a worker's.
#[tokio::main]
async fn serve(settings: ServeSettings) -> anyhow::Result<()> {
    if serve::run(settings).await? == Stopped::AtOnce {
        // Whatever still runs is not waited for.
        std::process::exit(1);
    }
    Ok(())
}
