//! Arguments of the commands on objects, branches and merges.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use domain::content::project::BranchName;

use crate::resource::{PlaceArgument, ProjectArgument};
use crate::revision::RevisionArgument;

/// Commands on objects.
#[derive(Debug, Subcommand)]
pub(crate) enum Objects {
    /// List all objects of a project, those directly below a place, or those that match at any depth
    #[command(after_help = "\
Examples:
  atelier objects list gearbox --type Part
  atelier objects list gearbox:/
  atelier objects list gearbox:/Model --type assembly

With --type and --query, objects at any depth below the place are listed; their types count in any case.

With --json: an object on each line, as GET …/objects answers it")]
    List {
        /// Project, or a place in it
        #[arg(value_name = "PROJECT[:/PATH]")]
        place: PlaceArgument,
        /// Only objects of this type, in any case
        #[arg(long = "type", value_name = "TYPE")]
        object_type: Option<String>,
        /// Only objects whose name contains this text
        #[arg(long, short, value_name = "TEXT")]
        query: Option<String>,
    },
    /// Search the objects of a project by their names, and by the text of pages, code and properties
    #[command(after_help = "\
Examples:
  atelier objects search gearbox backlash
  atelier objects search gearbox--feature/teeth '\"surface finish\" bronze'

Each word must be found, and words in double quotes side by side. Objects with the name come first. Changes are found \
seconds later.

With --json: an object on each line, with the place of the words as \"match\" if its text has them")]
    Search {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// The words
        #[arg(value_name = "TEXT")]
        text: String,
    },
    /// Show an object with its data
    #[command(after_help = "\
Example:
  atelier objects show gearbox:/Model/Shaft

With --json: the object, as GET …/objects/{objectId} answers it")]
    Show {
        /// Place of the object
        #[arg(value_name = "PROJECT:/PATH")]
        place: PlaceArgument,
    },
    /// Change an object's name, type, place or data
    #[command(after_help = "\
Examples:
  atelier objects edit gearbox:/Model/Shaft --set material=steel --set 'size={\"x\": 12}'
  atelier objects edit gearbox:/Model/Shaft --rename Axle --move-to /Library

A value is JSON if it reads as JSON, else a text. Nothing is changed if somebody else changed the object since.

With --json: the object")]
    Edit {
        /// Place of the object
        #[arg(value_name = "PROJECT:/PATH")]
        place: PlaceArgument,
        #[command(flatten)]
        changes: ObjectEdit,
    },
    /// Delete objects with everything below them
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier objects rm gearbox:/Model/Shaft

In a terminal you are asked before objects below are deleted, too. A commit makes the deletion part of the history.

With --json: {\"objectId\", \"deletedCount\"} on each line"
    )]
    Rm {
        /// Places of the objects
        #[arg(required = true, value_name = "PROJECT:/PATH")]
        places: Vec<PlaceArgument>,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// Changes of an object.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct ObjectEdit {
    /// New name
    #[arg(long, value_name = "NAME")]
    pub(crate) rename: Option<String>,
    /// New type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) object_type: Option<String>,
    /// New parent, as a path in the same project
    #[arg(long, value_name = "/PATH")]
    pub(crate) move_to: Option<String>,
    /// Set a property of the data
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Remove a property of the data
    #[arg(long, value_name = "KEY")]
    pub(crate) unset: Vec<String>,
}

/// Commands on branches.
#[derive(Debug, Subcommand)]
pub(crate) enum Branches {
    /// List a project's branches
    #[command(after_help = "\
Example:
  atelier branches list gearbox

With --json: a branch on each line, as GET …/branches answers it")]
    List {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
    },
    /// Create a branch
    #[command(after_help = "\
Examples:
  atelier branches create gearbox feature/teeth
  atelier branches create gearbox hotfix --from 8f3c1a09be

With --json: the branch")]
    Create {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Name of the branch
        #[arg(value_name = "BRANCH")]
        name: BranchName,
        /// Branch at which it starts, or commit, by its hash or 7 digits and more; the project's branch by default
        #[arg(long, value_name = "BRANCH|COMMIT")]
        from: Option<RevisionArgument>,
    },
    /// Delete a branch
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier branches rm gearbox feature/teeth

In a terminal you are asked before. The branch's commits stay, its uncommitted changes don't.

With --json: {\"deleted\", \"branch\"}"
    )]
    Rm {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Name of the branch
        #[arg(value_name = "BRANCH")]
        name: BranchName,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// Arguments of `discard`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier discard gearbox                            all that is not committed
  atelier discard gearbox--feature/teeth:/Model/Shaft

The branch, or the objects, are again as in the last commit; added ones are gone. A deleted object comes back with
all that was deleted below it. In a terminal you are asked before.
See what there is to discard: atelier diff gearbox

With --json: {\"deleted\", \"branch\", \"discardedCount\"}")]
pub(crate) struct Discard {
    /// Project, or places of objects in it, deleted ones too
    #[arg(required = true, value_name = "PROJECT[:/PATH]")]
    pub(crate) places: Vec<PlaceArgument>,
    /// Don't ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier diff gearbox                          what is not committed
  atelier diff gearbox:/Model                   the same, below a place
  atelier diff gearbox main feature/teeth       what feature/teeth has changed since it left main
  atelier diff gearbox main feature/teeth --direct

  + added   ~ changed   - deleted

Objects are shown by path, changed ones with their fields; without branches, of the first 100. A text of several lines
is shown by its changed lines. In a terminal the pager is ATELIER_PAGER, PAGER or less.

With --json, on each line: {\"change\", \"objectId\", \"path\", \"type\", \"fields\"} for what is not committed, else a row
of \"objects\" of GET …/compare with its \"path\". \"fields\" is as in that row, or null for objects whose fields are not
shown")]
pub(crate) struct Diff {
    /// Project, or a place in it
    #[arg(value_name = "PROJECT[:/PATH]")]
    pub(crate) place: PlaceArgument,
    /// Older branch, or commit by its hash or 7 digits and more; the project's branch if it is the only one named
    #[arg(value_name = "BASE")]
    pub(crate) base: Option<RevisionArgument>,
    /// Newer branch or commit
    #[arg(value_name = "HEAD")]
    pub(crate) head: Option<RevisionArgument>,
    /// Compare both as they are, and not HEAD with their last common ancestor
    #[arg(long, requires = "base")]
    pub(crate) direct: bool,
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier merge gearbox feature/teeth
  atelier merge gearbox--release main --theirs
  atelier merge gearbox feature/teeth --resolve 0198c5f0-…/data/material=ours

A conflict is decided by --resolve, else by --ours or --theirs, else by a question in a terminal. Without a
terminal the conflicts are listed, and nothing is merged.

A decision is ours (the branch merged into), theirs, keep or delete for a whole object, or value:JSON.

With --json: the report of POST …/merge. Conflicts: {\"conflict\": {…}} on each line, where a side without the field
is null; the failure has the code MERGE_CONFLICT, and exit code 1")]
pub(crate) struct Merge {
    /// Project, with the branch to merge into
    #[arg(value_name = "PROJECT")]
    pub(crate) project: ProjectArgument,
    /// Branch to merge, or commit, by its hash or 7 digits and more
    #[arg(value_name = "SOURCE")]
    pub(crate) source: RevisionArgument,
    /// Message of the commit
    #[arg(long, short)]
    pub(crate) message: Option<String>,
    /// Decide all other conflicts for the branch merged into
    #[arg(long, conflicts_with = "theirs")]
    pub(crate) ours: bool,
    /// Decide all other conflicts for the source
    #[arg(long)]
    pub(crate) theirs: bool,
    /// Decide a conflict
    #[arg(long, value_name = "OBJECT[/FIELD]=DECISION")]
    pub(crate) resolve: Vec<String>,
    /// Show what the merge would do, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Arguments of `clone`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier clone gearbox
  atelier clone gearbox--feature/teeth ./teeth

Git gets the credential from this program, now and at each fetch: it is neither in the address nor in the clone.

With --json: {\"folder\", \"url\"}")]
pub(crate) struct CloneCommand {
    /// Project, with the branch to check out
    #[arg(value_name = "PROJECT")]
    pub(crate) project: ProjectArgument,
    /// Folder to make; the project's slug by default
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
}
