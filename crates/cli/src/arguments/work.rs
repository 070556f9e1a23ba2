//! Arguments of the commands on sessions, executions, usage and keys.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use domain::people::permission::Scope;
use domain::time::DateOrTime;
use domain::work::execution::Language;
use domain::work::usage::MicroCredits;

use crate::failure::CommandResult;
use crate::resource::{PlaceArgument, ProjectArgument};

/// Commands on sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List a project's open sessions
    #[command(after_help = "\
Example:
  atelier sessions list gearbox

With --json: a session on each line, as GET …/sessions answers it")]
    List {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
    },
    /// Prompt an agent, and stream its answer
    Prompt(PromptCommand),
    /// Follow a session until it is closed; Ctrl-C leaves it
    #[command(after_help = "\
Example:
  atelier sessions attach gearbox 0198c5f0

With --json: an event on each line, as the session's stream has it")]
    Attach {
        #[command(flatten)]
        session: SessionArgument,
    },
    /// Stop a session's run; a new prompt can follow
    #[command(after_help = "\
Example:
  atelier sessions stop gearbox

With --json: the answer of POST …/stop")]
    Stop {
        #[command(flatten)]
        session: SessionArgument,
    },
    /// Close a session
    #[command(after_help = "\
Example:
  atelier sessions close gearbox 0198c5f0

With --json: {\"deleted\", \"sessionId\"}")]
    Close {
        #[command(flatten)]
        session: SessionArgument,
    },
}

/// A session on the command line.
#[derive(Clone, Debug, Args)]
pub(crate) struct SessionArgument {
    /// Project
    #[arg(value_name = "PROJECT")]
    pub(crate) project: ProjectArgument,
    /// Session: its id or a unique beginning; the only one by default
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
}

/// Arguments of `prompt`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier prompt gearbox \"Which parts have no material?\"
  atelier prompt gearbox \"And which of them are fasteners?\" --session 0198c5f0
  git diff | atelier prompt gearbox -

With --ask, questions about tools are asked in a terminal, and denied without one. Ctrl-C stops the run.

With --json: an event on each line, as the session's stream has it, then
  {\"event\": \"summary\", \"sessionId\", \"status\", \"credits\", \"promptTokens\", \"completionTokens\"}")]
pub(crate) struct PromptCommand {
    /// Project
    #[arg(value_name = "PROJECT")]
    pub(crate) project: ProjectArgument,
    /// The agent's task, or - for standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
    /// Go on in this session
    #[arg(long, value_name = "SESSION", conflicts_with_all = ["model", "budget", "ask"])]
    pub(crate) session: Option<String>,
    /// Model that answers; the deployment's first by default
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Most credits that the new session may cost
    #[arg(long, value_name = "CREDITS")]
    pub(crate) budget: Option<MicroCredits>,
    /// Ask before the agent uses a tool that changes, deletes or sends
    #[arg(long)]
    pub(crate) ask: bool,
    /// Leave the new session open
    #[arg(long)]
    pub(crate) keep: bool,
}

/// Arguments of `exec`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier exec gearbox mass.py
  atelier exec gearbox:/Scripts/mass --input '{\"material\": \"steel\"}'
  echo 'console.log(1 + 1)' | atelier exec gearbox - --language javascript

The code runs in the service's sandbox. A local file becomes an object until its run has begun. Ctrl-C stops the
run, and so do a termination and the end of the output's reader.
Python needs `import atelier` before `atelier.input`; JavaScript has `atelier` already.
Exit code 1 if the code fails.

With --json: {\"event\": \"output\", \"text\"} for each part, then {\"event\": \"ended\", \"state\", \"failure\"}")]
pub(crate) struct Exec {
    /// Project, or the place of a Code object
    #[arg(value_name = "PROJECT[:/PATH]")]
    pub(crate) place: PlaceArgument,
    /// File of code, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Language of the file; by its extension by default
    #[arg(long, value_name = "LANGUAGE", ignore_case = true, value_parser = languages())]
    pub(crate) language: Option<String>,
    /// JSON object that the code reads as `atelier.input`
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
}

/// The languages by their names, which shells complete.
fn languages() -> PossibleValuesParser {
    [Language::JavaScript, Language::Python].map(Language::as_str).into()
}

/// The groups of a report.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Group {
    /// Days in UTC
    Day,
    /// Models
    Model,
    /// Projects
    Project,
    /// Sessions
    Session,
    /// Cards of a project: their shares of the runs that changed them
    Card,
}

/// Arguments of `usage`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier usage
  atelier usage gearbox --by model --from 2026-11-01
  atelier usage gearbox --by card

With --json: the report of GET …/usage, or of GET …/usage/cards")]
pub(crate) struct Usage {
    /// Project; all that you have spent by default
    #[arg(value_name = "PROJECT")]
    pub(crate) project: Option<ProjectArgument>,
    /// Rows of the table
    #[arg(long, value_enum, default_value_t = Group::Day)]
    pub(crate) by: Group,
    /// First day
    #[arg(long, value_name = "DATE")]
    pub(crate) from: Option<DateOrTime>,
    /// Last day
    #[arg(long, value_name = "DATE")]
    pub(crate) to: Option<DateOrTime>,
}

/// Reads a scope, or lists all of them.
fn scope(text: &str) -> CommandResult<Scope, String> {
    let names = || Scope::ALL.into_iter().map(Scope::as_str).collect::<Vec<_>>().join(", ");
    text.parse().map_err(|_| format!("the scopes are {}", names()))
}

/// Commands on API keys.
#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// List your API keys
    #[command(after_help = "\
Example:
  atelier keys list

With --json: a key on each line, without its secret")]
    List,
    /// Issue an API key, and print it once
    #[command(after_help = "\
Example:
  atelier keys create \"Build server\" --scope projects:write --scope cards:read

With --json: the answer of POST /api/v2/api-keys")]
    Create {
        /// Name of the key
        #[arg(value_name = "NAME")]
        name: String,
        /// Scope of the key, as in cards:read
        #[arg(long, required = true, value_name = "SCOPE", value_parser = scope)]
        scope: Vec<Scope>,
        /// Projects to which it is confined
        #[arg(long, value_name = "PROJECT")]
        project: Vec<ProjectArgument>,
        /// End of its life, at most 365 days ahead; 90 days by default
        #[arg(long, value_name = "DATE")]
        expires: Option<DateOrTime>,
    },
    /// Give a key a new secret, and print it once
    #[command(after_help = "\
Example:
  atelier keys rotate \"Build server\" --grace 3600

With --json: the answer of POST …/rotate")]
    Rotate {
        /// Key: its id or its name
        #[arg(value_name = "KEY")]
        key: String,
        /// Seconds for which the old secret stays valid
        #[arg(long, default_value_t = 0, value_name = "SECONDS")]
        grace: u32,
    },
    /// Revoke a key at once
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier keys revoke \"Build server\"

In a terminal you are asked before.

With --json: {\"deleted\", \"keyId\"}"
    )]
    Revoke {
        /// Key: its id or its name
        #[arg(value_name = "KEY")]
        key: String,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
}
