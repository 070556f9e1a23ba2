//! The data plane's binary.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use dataplane::settings::ServeSettings;
use dataplane::{convert, preview, routes, serve, unpack};
use wire::Shutdown;

/// The server URL in a document that is printed rather than served.
const OPENAPI_URL: &str = "http://127.0.0.1:8081";

// One thread allocates the bytes of an upload and others free them. glibc returns them at once, mimalloc accumulates
// tens of MiB; musl's own allocator is too slow.
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

/// The subcommands.
#[derive(Subcommand)]
enum Command {
    /// Serve requests until SIGTERM or SIGINT.
    Serve(Box<ServeSettings>),
    /// Print the OpenAPI document of the data plane.
    Openapi,
    /// Convert one file for the service that started this.
    #[command(name = convert::WORKER, hide = true)]
    Convert,
    /// Draw one file for the service that started this.
    #[command(name = preview::WORKER, hide = true)]
    Preview,
    /// Unpack one archive for the service that started this.
    #[command(name = unpack::WORKER, hide = true)]
    Unpack,
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().command {
        // A worker confines its main thread, so no other thread may exist yet.
        Command::Convert => return Ok(convert::work()),
        Command::Preview => return Ok(preview::work()),
        Command::Unpack => return Ok(unpack::work()),
        Command::Serve(settings) => {
            wire::init_logging(&settings.log)?;
            wire::warn_of_unknown_settings(&Cli::command());
            serve(*settings)?;
        }
        Command::Openapi => println!("{:#}", routes::table().openapi(OPENAPI_URL)),
    }
    Ok(ExitCode::SUCCESS)
}

// Not `actix_web::main`: connections to PostgreSQL and Redis are driven by this runtime, not by a worker's.
#[tokio::main]
async fn serve(settings: ServeSettings) -> anyhow::Result<()> {
    if serve::run(settings).await? == Shutdown::Immediate {
        // Requests that are still running are abandoned.
        std::process::exit(1);
    }
    Ok(())
}
