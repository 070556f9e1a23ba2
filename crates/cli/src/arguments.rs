//! The arguments of `atelier`, with the help that explains them.

pub(crate) mod bills;
pub(crate) mod card_filters;
pub(crate) mod cards;
pub(crate) mod content;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod people;
pub(crate) mod planning;
pub(crate) mod projects;
pub(crate) mod teams;
pub(crate) mod transfer;
pub(crate) mod views;
pub(crate) mod work;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use domain::time::DateOrTime;
use url::Url;

use crate::arguments::projects::Projects;
use crate::failure::CommandResult;
use crate::resource::{PlaceArgument, ProjectArgument};
use crate::team::TeamArgument;

/// The profile that is meant where none is named.
pub(crate) const DEFAULT_PROFILE: &str = "default";

const FOR_SCRIPTS: &str = "\
With --json a failure is one more line on standard output, and its words are on standard error:
  {\"error\": {\"exitCode\", \"message\", \"code\", \"requestId\", \"next\"}}
\"code\" is the service's, or null; \"next\" is a way out, or null. Wrong arguments print words alone.

Exit codes:
  0    all done
  1    the service refused, or a local step failed
  2    wrong usage
  3    files failed or were left alone; they are listed
  4    not signed in
  5    the service can't be reached
  6    not found: a project, an object, a local file
  130  stopped; the state is kept";

/// Work with Atelier projects from a terminal.
#[derive(Debug, Parser)]
#[command(name = "atelier", version, after_help = FOR_SCRIPTS, propagate_version = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Arguments of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// Profile of the credential to use
    #[arg(long, global = true, env = "ATELIER_PROFILE", hide_env_values = true, default_value = DEFAULT_PROFILE, value_name = "NAME")]
    pub(crate) profile: String,
    /// Address of the service, instead of the profile's
    #[arg(long, global = true, env = "ATELIER_URL", hide_env_values = true, value_name = "URL", value_parser = service_url)]
    pub(crate) url: Option<Url>,
    /// Print JSON: one object, or one on each line for lists and progress
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// Reads the address of a service.
fn service_url(text: &str) -> CommandResult<Url, String> {
    match text.parse::<Url>() {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        Ok(url) if text.contains("://") => {
            Err(format!("{}:// is neither http:// nor https://", url.scheme()))
        }
        // A host with a port reads as a scheme with a path.
        Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase) => {
            Err(format!("http:// or https:// is missing, as in https://{text}"))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Sign in with an API key, or through the browser
    Login(Login),
    /// Forget the credential of a profile
    #[command(after_help = "\
Examples:
  atelier logout
  atelier logout --profile staging

With --json: {\"profile\", \"removed\"}")]
    Logout,
    /// Show who is signed in
    #[command(after_help = "\
Example:
  atelier whoami --profile staging

With --json: {\"user\": {\"id\", \"email\", \"name\", \"slug\", \"createdAt\"}, \"url\"}")]
    Whoami,
    /// List, create, change, share and delete projects
    #[command(after_help = "\
Examples:
  atelier projects
  atelier projects create Gearbox

With --json: a project on each line, as GET /api/v2/projects answers it")]
    Projects(Projects),
    /// Draw a project's tree, with uncommitted changes marked
    #[command(after_help = "\
Examples:
  atelier tree gearbox --depth 2
  atelier tree gearbox--feature:/Model

  + added   ~ changed   - deleted, since the last commit

With --json: an object on each line, {\"id\", \"name\", \"type\", \"parent\", \"path\", \"change\"}")]
    Tree {
        /// Project, or a place in it
        #[arg(value_name = "PROJECT[:/PATH]")]
        place: PlaceArgument,
        /// Deepest level to show
        #[arg(long, value_name = "LEVELS")]
        depth: Option<usize>,
    },
    /// Upload files and folders
    Upload(transfer::Upload),
    /// Download a project's files with their folders: only what changed
    Sync(transfer::Sync),
    /// Download the file of an object
    Download(transfer::Download),
    /// Open a project or an object in the browser, or draw its picture in the terminal
    View(transfer::View),
    /// List the versions of an object's file
    #[command(after_help = "\
Example:
  atelier versions gearbox:/Model/Shaft

With --json: a version on each line, as GET …/versions answers it")]
    Versions {
        /// Place of the object
        #[arg(value_name = "PROJECT:/PATH")]
        place: PlaceArgument,
    },
    /// Commit a branch's changes
    #[command(after_help = "\
Example:
  atelier commit gearbox -m \"Import parts\"

With --json: the commit, as POST …/commits answers it")]
    Commit {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Message of the commit
        #[arg(long, short)]
        message: String,
    },
    /// Show a branch's commits, newest first
    #[command(after_help = "\
Examples:
  atelier log gearbox
  atelier log gearbox--feature/teeth -n 5

With --json: a commit on each line, as GET …/commits answers it")]
    Log {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Most commits to show
        #[arg(long, short = 'n', default_value_t = 20, value_name = "NUMBER")]
        limit: usize,
    },
    /// List, show, change and delete objects
    #[command(subcommand)]
    Objects(content::Objects),
    /// Show a bill of materials, or write it to a file
    Bom(bills::Bom),
    /// Show where a part or a package is used
    Uses(bills::Uses),
    /// List, create and delete branches
    #[command(subcommand)]
    Branches(content::Branches),
    /// Show uncommitted changes, or the differences of two branches or commits
    Diff(content::Diff),
    /// Discard uncommitted changes, all or by object
    Discard(content::Discard),
    /// Merge a branch or a commit into a branch
    Merge(content::Merge),
    /// Clone a project by Git, with the credential set up
    Clone(content::CloneCommand),
    /// Answer Git's question for a credential
    #[command(hide = true)]
    GitCredential {
        /// Git's request: get, store or erase
        #[arg(value_name = "OPERATION")]
        operation: String,
    },
    /// List, show, create, change, assign, tag and delete cards
    #[command(subcommand)]
    Cards(cards::Cards),
    /// Show your work in all projects: cards that you have or that mention you, and questions of agents
    #[command(after_help = "\
Example:
  atelier work

With --json: {\"cards\", \"mentioned\", \"approvals\"} and more, as GET /api/v2/me/work answers it")]
    Work,
    /// Make cards of the issues in an export of Atelier, Jira, Linear, GitHub or Trello, or in a table
    Import(import::Import),
    /// Write the cards, boards, comments and history of a project or an organization as NDJSON
    Export(export::ProjectExport),
    /// List, create, rename and delete the tags of a project's cards
    #[command(subcommand)]
    Tags(teams::Tags),
    /// List, create, rename and delete teams; change their members and projects
    #[command(subcommand)]
    Teams(teams::Teams),
    /// Show a team's board
    #[command(after_help = "\
Examples:
  atelier board makers
  atelier board acme/makers --sprint none
  atelier board makers --at 2026-11-20

With --json: the board, as GET …/board answers it")]
    Board {
        /// Team: its name, or organization/name
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
        /// Only cards of this sprint, or none
        #[arg(long, value_name = "SPRINT")]
        sprint: Option<String>,
        /// As it was at this time, or at the beginning of this day in UTC
        #[arg(long, value_name = "TIME")]
        at: Option<DateOrTime>,
    },
    /// List, create, start and complete sprints, and draw their burndown
    #[command(subcommand)]
    Sprints(planning::Sprints),
    /// Show how work flows through a project: open and closed cards, times, throughput
    Flow(planning::Flow),
    /// Show the history of a project's cards
    History(planning::History),
    /// List, show, save and delete saved views of cards
    #[command(subcommand)]
    Views(views::Views),
    /// List, prompt, follow, stop and close sessions
    #[command(subcommand)]
    Sessions(work::Sessions),
    /// Prompt an agent, and stream its answer
    Prompt(work::PromptCommand),
    /// Run code on a project, and stream its output
    Exec(work::Exec),
    /// Show what models have cost
    Usage(work::Usage),
    /// List, create, rename and delete organizations
    #[command(subcommand)]
    Orgs(people::Orgs),
    /// List the members of an organization, change their roles, and remove them
    #[command(subcommand)]
    Members(people::Members),
    /// List, make, revoke and accept invitations to organizations
    #[command(subcommand)]
    Invitations(people::Invitations),
    /// List, make and revoke calendar feeds: deadlines and sprints in your calendar program
    #[command(subcommand)]
    Calendar(people::Calendars),
    /// List, issue, rotate and revoke your API keys
    #[command(
        subcommand,
        after_help = "Keys are managed with the browser token that `atelier login --web` keeps, or with one in\n\
            ATELIER_KEY. An API key is refused."
    )]
    Keys(work::Keys),
    /// Send any request to the API
    #[command(after_help = "\
Examples:
  atelier api /api/v2/me
  atelier api -X POST /api/v2/projects -d '{\"name\": \"Gearbox\"}'
  atelier api -X POST /api/v2/projects -d @project.json

The answer's body goes to standard output as it is, with --json and without, also that of an error. The list of operations:
atelier api /api/v2/openapi.json")]
    Api {
        /// Path, with its query
        path: String,
        /// Method; POST if there is a body, else GET
        #[arg(long, short = 'X', value_name = "METHOD")]
        method: Option<String>,
        /// Body: a text, @FILE, or @- for standard input
        #[arg(long, short = 'd', value_name = "BODY")]
        data: Option<String>,
        /// Header, as in "If-Match: …"
        #[arg(long, short = 'H', value_name = "HEADER")]
        header: Vec<String>,
    },
    /// Print completions for a shell
    #[command(after_help = "\
Examples:
  atelier completions bash > ~/.local/share/bash-completion/completions/atelier
  atelier completions zsh > ~/.zfunc/_atelier")]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Write the man pages
    #[command(after_help = "Example:\n  atelier man ~/.local/share/man/man1")]
    Man {
        /// Folder to write to
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

/// Arguments of `login`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  atelier login --url https://atelier.example.org
  atelier login --url https://atelier.example.org --web
  pass show atelier | atelier login --url https://atelier.example.org

The key is asked for without showing it, or read from standard input. With --web a key of 90 days is issued for
you, and the browser token is kept beside it, until it ends, for the commands on keys and people. They are kept in
the system's keyring, or without one in a file that only you can read. ATELIER_KEY and ATELIER_URL come before what
is kept.

With --json: {\"user\", \"profile\", \"file\"}; \"file\" is null for the keyring")]
pub(crate) struct Login {
    /// Sign in through the browser
    #[arg(long)]
    pub(crate) web: bool,
    /// Name of this program at the issuer
    #[arg(
        long,
        env = "ATELIER_CLIENT_ID",
        hide_env_values = true,
        default_value = "atelier",
        value_name = "ID"
    )]
    pub(crate) client_id: String,
    /// Keep the key in a file, not in the system's keyring
    #[arg(long)]
    pub(crate) in_file: bool,
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::Arguments;

    /// Commands whose output is for shells and for `man`.
    const WITHOUT_JSON: [&str; 2] = ["atelier completions", "atelier man"];

    fn missing(command: &Command, name: &str, lacking: &mut Vec<String>) {
        let mut of_it = command.get_subcommands().filter(|command| !command.is_hide_set()).peekable();
        // A group is explained by its commands, unless it is one itself.
        if of_it.peek().is_none() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for (text, is_due) in [("Example", true), ("--json", !WITHOUT_JSON.contains(&name))] {
                if is_due && !help.contains(text) {
                    lacking.push(format!("{name}: {text}"));
                }
            }
        }
        of_it.for_each(|command| missing(command, &format!("{name} {}", command.get_name()), lacking));
    }

    #[test]
    fn the_help_of_every_command_has_an_example_and_the_shape_of_its_json() {
        let mut lacking = Vec::new();
        missing(&Arguments::command(), "atelier", &mut lacking);
        assert_eq!(lacking, Vec::<String>::new());
    }
}
