//! The command line.

use clap::{Parser, Subcommand};
use store::DatabaseConfig;

use crate::admin::AdminArguments;
use crate::jobs::code_execution;
use crate::portrait;
use crate::settings::ServeSettings;

/// Atelier's control plane.
#[derive(Parser)]
#[command(name = "control", version)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands of the binary.
#[derive(Subcommand)]
pub enum Command {
    /// Serve requests until SIGTERM or SIGINT.
    Serve(Box<ServeSettings>),
    /// Bring the database's schema up to this version. Safe to run from several places at once.
    Migrate(DatabaseConfig),
    /// Do an operator's work: users, organizations, memberships, keys.
    Admin(Box<AdminArguments>),
    /// Print the OpenAPI document of the control plane.
    Openapi,
    /// Run code for the service that started this.
    #[command(name = code_execution::WORKER, hide = true)]
    Execute,
    /// Draw a picture for the service that started this.
    #[command(name = portrait::WORKER, hide = true)]
    Draw,
}
