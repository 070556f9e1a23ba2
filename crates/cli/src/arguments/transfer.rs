//! Arguments of the commands that move files, and of the one that shows them: upload, sync, download, view.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use clap::Args;

use crate::failure::CommandResult;
use crate::output::Loudness;
use crate::resource::PlaceArgument;
use crate::terminal_picture::PictureProtocol;

/// Lowest bandwidth, in bytes a second: slower connections are cut.
const RATE_MIN: u64 = 10_000;

/// Limits of a transfer.
#[derive(Clone, Debug, Args)]
pub(crate) struct Limits {
    /// Most requests with files at once; the service's pace decides by default
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<NonZeroU32>,
    /// Most bytes a second, as in 500k or 2M
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub(crate) bwlimit: Option<NonZeroU64>,
}

/// The messages of a transfer.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Messages {
    /// Say only what failed or was left alone
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Name each file that was sent or downloaded
    #[arg(long, short)]
    verbose: bool,
}

impl Messages {
    /// The amount of messages.
    pub(crate) fn loudness(self) -> Loudness {
        match (self.quiet, self.verbose) {
            (true, _) => Loudness::Quiet,
            (_, true) => Loudness::Verbose,
            _ => Loudness::Normal,
        }
    }
}

/// Reads a number of bytes a second.
fn rate(text: &str) -> CommandResult<NonZeroU64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (text.get(..at), 1_000),
        Some((at, 'm' | 'M')) => (text.get(..at), 1_000_000),
        Some((at, 'g' | 'G')) => (text.get(..at), 1_000_000_000),
        _ => (Some(text), 1),
    };
    let number = digits.and_then(|digits| digits.parse::<u64>().ok()?.checked_mul(unit));
    let number = number.ok_or("expected bytes a second: 50000, 500k, 2M")?;
    let rate = NonZeroU64::new(number).filter(|rate| rate.get() >= RATE_MIN);
    rate.ok_or_else(|| format!("must be at least {}k", RATE_MIN / 1_000))
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
twice. A name that the project would change is refused.

In a work tree of Git, the .gitignore files within the folder are followed; elsewhere with --ignore-vcs alone. Files
that they, --exclude and --include leave out are counted.

The object of a converted file (STEP) is named after the product in it. Its file is known by the name under which it was
uploaded, on any machine, and by the state of an earlier run of the same command, also if the object was moved.

With --json, on each line:
  {\"event\": \"plan\", \"files\", \"bytes\", \"unchanged\", \"leftOut\", \"toSend\", \"updates\", \"bytesToSend\",
   \"foldersToMake\", \"resumed\"}
  {\"event\": \"file\", \"path\", \"status\": \"sent\"|\"failed\", \"objectId\", \"code\", \"message\"}
  {\"event\": \"file\", \"path\", \"status\": \"would send\"|\"would replace\", \"bytes\"} (--dry-run)
  {\"event\": \"progress\", \"sent\", \"total\", \"bytes\", \"totalBytes\", \"waitingSecs\", \"converting\"}
  {\"event\": \"summary\", \"sent\", \"updated\", \"unchanged\", \"different\", \"failed\", \"failedCount\", \"partial\",
   \"unconverted\", \"convertedLater\", \"skippedLinks\", \"leftOut\", \"bytes\", \"seconds\"}
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
    /// Send only files that match, and the folders that have some
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Send files that .gitignore leaves out, too
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Follow .gitignore outside of work trees of Git, too
    #[arg(long, conflicts_with = "no_ignore")]
    pub(crate) ignore_vcs: bool,
    /// Follow symbolic links
    #[arg(long)]
    pub(crate) follow_links: bool,
    /// Replace files of the project that differ by new versions; their objects keep their ids
    #[arg(long)]
    pub(crate) update: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) messages: Messages,
}

/// Arguments of `sync`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  atelier sync gearbox ./gearbox
  atelier sync gearbox:/Model/Drawings ./drawings --dry-run
  atelier sync gearbox ./gearbox --delete

Every file is verified by its SHA-256. A run that was stopped goes on where it was. Files that were edited here
are kept and listed, with exit code 3; those that the project doesn't have are left alone. With --delete, files that
an earlier sync has written, and that the project has no more, are deleted; other files never are. Files behind a
symbolic link in the folder are not written: they fail. A name that this machine doesn't take, or that Git, a shell
or an editor takes for its own, is changed, and listed.

With --json, on each line:
  {\"event\": \"file\", \"path\", \"status\": \"downloaded\"|\"failed\", \"objectId\", \"code\", \"message\"}
  {\"event\": \"file\", \"path\", \"status\": \"kept\", \"objectId\"}
  {\"event\": \"file\", \"path\", \"status\": \"deleted\"} (--delete)
  {\"event\": \"file\", \"path\", \"status\": \"would download\"|\"would keep\"|\"would fail\"|\"would delete\"} (--dry-run)
  {\"event\": \"progress\", \"sent\", \"total\", \"bytes\", \"totalBytes\", \"waitingSecs\"}
  {\"event\": \"summary\", \"downloaded\", \"unchanged\", \"kept\", \"deleted\", \"failed\", \"renamed\", \"bytes\", \"seconds\"}
\"waitingSecs\" counts while the service sends nothing, else it is null; \"renamed\" has {\"objectId\", \"name\", \"path\"}.")]
pub(crate) struct Sync {
    /// Project, or a place in it
    #[arg(value_name = "PROJECT[:/PATH]")]
    pub(crate) place: PlaceArgument,
    /// Folder to write to
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Overwrite, and with --delete delete, files that were edited here
    #[arg(long)]
    pub(crate) force: bool,
    /// Delete files of earlier runs that the project has no more
    #[arg(long)]
    pub(crate) delete: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) messages: Messages,
}

/// Arguments of `download`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  atelier download gearbox:/Model/Shaft
  atelier download gearbox:/Model/Manual.pdf -o manual.pdf
  atelier download gearbox:/Library/backup.tar -o - | tar x

The file appears under its name when it is whole and verified. A file that is there is overwritten with --force
alone. A run that was stopped goes on with the same command, except with `-o -`, which writes bytes as they arrive:
there the exit code says if all of them were right.

With --json: {\"objectId\", \"path\", \"sha256\", \"size\"}; with `-o -` the file's bytes alone")]
pub(crate) struct Download {
    /// Place of the object
    #[arg(value_name = "PROJECT:/PATH")]
    pub(crate) place: PlaceArgument,
    /// File to write, or - for standard output; the file's name by default
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite a file that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// Most bytes a second, as in 500k or 2M
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub(crate) bwlimit: Option<NonZeroU64>,
    #[command(flatten)]
    pub(crate) messages: Messages,
}

/// Arguments of `view`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  atelier view gearbox:/Model/Shaft
  atelier view gearbox--feature/teeth --print-url
  atelier view gearbox:/Model/Shaft --terminal

Terminals that draw pictures are known by their variables: kitty, Ghostty and Konsole, iTerm2, WezTerm and mintty, \
foot and others with sixels. Name the way where yours isn't known, or inside of tmux: --terminal=sixel.

With --json: {\"projectId\", \"objectId\", \"url\"}, and nothing is opened or drawn")]
pub(crate) struct View {
    /// Project, or the place of an object
    #[arg(value_name = "PROJECT[:/PATH]")]
    pub(crate) place: PlaceArgument,
    /// Print the page's address, and open nothing
    #[arg(long)]
    pub(crate) print_url: bool,
    /// Draw the object's picture here instead
    #[arg(long, value_name = "WAY", num_args = 0..=1, require_equals = true, conflicts_with = "print_url")]
    pub(crate) terminal: Option<Option<PictureProtocol>>,
}

impl Upload {
    /// True if files may be left out.
    pub(crate) fn has_rules(&self) -> bool {
        !self.rules().is_empty()
    }

    /// The rules that leave files out, as people name them.
    pub(crate) fn rules(&self) -> String {
        let rules = [
            (".gitignore", !self.no_ignore),
            ("--exclude", !self.exclude.is_empty()),
            ("--include", !self.include.is_empty()),
        ];
        rules.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn a_rate_has_a_unit_and_a_lower_bound() {
        let read = |text| rate(text).map(std::num::NonZeroU64::get).ok();
        assert_eq!(
            ["50000", "500k", "2M", "1G"].map(read),
            [50_000, 500_000, 2_000_000, 1_000_000_000].map(Some)
        );
        assert_eq!(["9k", "0", "k", "2MB", "-1", "", "99999999999999G"].map(read), [None; 7]);
    }
}
