//! The arguments of `atelier`, with the help that explains them.

pub(crate) mod content;
pub(crate) mod planning;
pub(crate) mod projects;
pub(crate) mod work;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
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
    /// List your projects, or create one
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
    Upload(Upload),
    /// Download a project's files with their folders: only what changed
    #[command(after_help = "\
Examples:
  atelier sync gearbox ./gearbox
  atelier sync gearbox:/Model/Drawings ./drawings --dry-run

Every file is verified by its SHA-256. A run that was stopped goes on where it was. Files that were edited here
are kept and listed, with exit code 3; those that the project doesn't have are left alone. Files behind a symbolic
link in the folder are not written: they fail. A name that this machine doesn't take is changed, and listed.

With --json, on each line:
  {\"event\": \"file\", \"path\", \"status\": \"downloaded\"|\"failed\", \"objectId\", \"code\", \"message\"}
  {\"event\": \"file\", \"path\", \"status\": \"kept\", \"objectId\"}
  {\"event\": \"file\", \"path\", \"status\": \"would download\"|\"would keep\"|\"would fail\"} (--dry-run)
  {\"event\": \"progress\", \"sent\", \"total\", \"bytes\", \"totalBytes\", \"waitingSecs\"}
  {\"event\": \"summary\", \"downloaded\", \"unchanged\", \"kept\", \"failed\", \"renamed\", \"bytes\", \"seconds\"}
\"waitingSecs\" counts while the service sends nothing, else it is null; \"renamed\" has {\"objectId\", \"name\", \"path\"}.")]
    Sync {
        /// Project, or a place in it
        #[arg(value_name = "PROJECT[:/PATH]")]
        place: PlaceArgument,
        /// Folder to write to
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// Overwrite files that were edited here
        #[arg(long)]
        force: bool,
        /// Show what would be done, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Download the file of an object
    #[command(after_help = "\
Examples:
  atelier download gearbox:/Model/Shaft
  atelier download gearbox:/Model/Manual.pdf -o manual.pdf
  atelier download gearbox:/Library/backup.tar -o - | tar x

The file appears under its name, or goes to standard output, when it is whole and verified. A file that is there
is overwritten with --force alone. A run that was stopped goes on with the same command, except with `-o -`.

With --json: {\"objectId\", \"path\", \"sha256\", \"size\"}; with `-o -` the file's bytes alone")]
    Download {
        /// Place of the object
        #[arg(value_name = "PROJECT:/PATH")]
        place: PlaceArgument,
        /// File to write, or - for standard output; the object's name by default
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Overwrite a file that is there
        #[arg(long)]
        force: bool,
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
    /// Show a branch's history
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
    /// List, show, create, change and move cards
    #[command(subcommand)]
    Cards(planning::Cards),
    /// List the tags of a project's cards
    #[command(subcommand)]
    Tags(planning::Tags),
    /// List your teams
    #[command(subcommand)]
    Teams(planning::Teams),
    /// Show a team's board
    #[command(after_help = "\
Examples:
  atelier board makers
  atelier board acme/makers --sprint none

With --json: the board, as GET …/board answers it")]
    Board {
        /// Team: its name, or organization/name
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
        /// Only cards of this sprint, or none
        #[arg(long, value_name = "SPRINT")]
        sprint: Option<String>,
    },
    /// List, create, start and complete sprints, and draw their burndown
    #[command(subcommand)]
    Sprints(planning::Sprints),
    /// Show the history of a project's cards
    History(planning::History),
    /// List, prompt, follow, stop and close sessions
    #[command(subcommand)]
    Sessions(work::Sessions),
    /// Prompt an agent, and stream its answer
    Prompt(work::PromptCommand),
    /// Run code on a project, and stream its output
    Exec(work::Exec),
    /// Show what models have cost
    Usage(work::Usage),
    /// List, issue, rotate and revoke your API keys
    #[command(
        subcommand,
        after_help = "Keys are managed with a browser token in ATELIER_KEY, or on the service's pages.\n\
            An API key is refused."
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
you. It is kept in the system's keyring, or without one in a file that only you can read. ATELIER_KEY and
ATELIER_URL come before what is kept.

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

/// Arguments of `upload`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  atelier upload ./parts --to gearbox:/Model/Imports
  atelier upload *.step manual.pdf --to gearbox:/Model --exclude '*.bak'
  tar c . | atelier upload - --name backup.tar --to gearbox:/Library

A folder arrives with its name; `parts/` and `.` send the folder's content. Files that the project has at the
same place with the same content are not sent again; those that differ are left alone and listed, with exit code
3, or become new versions with --update. A run that was stopped goes on with the same command, and nothing arrives
twice. Ignore files (.gitignore, .ignore) are followed. A name that the project would change is refused.

The object of a converted file (STEP) is named after the product in it. --update finds it by the state of an earlier
run of the same command on this machine, also if it was renamed; without that state the new version is added beside.

With --json, on each line:
  {\"event\": \"plan\", \"files\", \"bytes\", \"unchanged\", \"toSend\", \"updates\", \"bytesToSend\", \"foldersToMake\", \"resumed\"}
  {\"event\": \"file\", \"path\", \"status\": \"sent\"|\"failed\", \"objectId\", \"code\", \"message\"}
  {\"event\": \"file\", \"path\", \"status\": \"would send\"|\"would replace\", \"bytes\"} (--dry-run)
  {\"event\": \"progress\", \"sent\", \"total\", \"bytes\", \"totalBytes\", \"waitingSecs\", \"converting\"}
  {\"event\": \"summary\", \"sent\", \"updated\", \"unchanged\", \"different\", \"failed\", \"failedCount\", \"partial\",
   \"unconverted\", \"convertedLater\", \"skippedLinks\", \"bytes\", \"seconds\"}
\"waitingSecs\" counts while the service takes nothing, else it is null. \"different\" has paths; \"failed\", \"partial\"
(converted in part) and \"unconverted\" have {\"path\", \"code\", \"message\"}.")]
pub(crate) struct Upload {
    /// Files and folders, or - for standard input
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Place in a project; missing folders are made
    #[arg(long, value_name = "PROJECT[:/PATH]")]
    pub(crate) to: PlaceArgument,
    /// Name of the file that standard input becomes
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Leave out files and folders that match, as a line of .gitignore does
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Send files that ignore files leave out, too
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Follow symbolic links
    #[arg(long)]
    pub(crate) follow_links: bool,
    /// Replace files of the project that differ by new versions; their objects keep their ids
    #[arg(long)]
    pub(crate) update: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
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
