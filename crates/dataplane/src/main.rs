//! The data plane's binary.

use clap::{Parser, Subcommand};
use dataplane::settings::ServeSettings;
use dataplane::{routes, serve};
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
}

// Not `actix_web::main`: connections to PostgreSQL and Redis are driven by this runtime, not by a worker's.
#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Serve(settings) => {
            wire::init_logging(&settings.log)?;
            if serve::run(*settings).await? == Stopped::AtOnce {
                // Whatever still runs is not waited for.
                std::process::exit(1);
            }
        }
        Command::Openapi => println!("{:#}", routes::table().openapi(OPENAPI_URL)),
    }
    Ok(())
}
