//! Arguments of the commands on cards.

pub(crate) mod attachments;

use clap::{Args, Subcommand, ValueEnum};
use domain::key::CardName;
use domain::planning::card::{CardType, Effort, InvalidEffort, Priority};
use domain::planning::relation::RelationKind;
use domain::time::{CalendarDay, DateOrTime};

use crate::arguments::card_filters::{CardFilterArguments, ListFilterArguments};
use crate::arguments::cards::attachments::{Attach, AttachmentArgument, DownloadAttached};
use crate::failure::CommandResult;
use crate::resource::ProjectArgument;
use crate::team::TeamArgument;

/// Commands on cards.
#[derive(Debug, Subcommand)]
pub(crate) enum Cards {
    /// List a project's cards
    #[command(after_help = "\
Examples:
  atelier cards list gearbox
  atelier cards list gearbox --closed -q seal
  atelier cards list gearbox --assignee me --assignee none --priority high,urgent
  atelier cards list gearbox --priority '!low,!none' --tag '!later'

Filters take several values, none where a value may be missing, and ! in front for not. Shells want quotes around it.

With --json: a card on each line, as \"indexCards\" of GET …/cards has it")]
    List {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Closed cards instead of open ones
        #[arg(long, conflicts_with = "all")]
        closed: bool,
        /// Open and closed cards
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        filter: Box<ListFilterArguments>,
    },
    /// Search the cards of all your projects, last changed first
    #[command(after_help = "\
Examples:
  atelier cards search seal --all
  atelier cards search seal --assignee me --due late,week

With --json: a card on each line, as \"indexCards\" of GET /api/v2/cards has it")]
    Search {
        /// Text of the name, description or resolution
        #[arg(value_name = "TEXT")]
        text: String,
        /// Closed cards instead of open ones
        #[arg(long, conflicts_with = "all")]
        closed: bool,
        /// Open and closed cards
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        filter: Box<CardFilterArguments>,
    },
    /// List a project's custom fields
    #[command(after_help = "\
Example:
  atelier cards fields gearbox

With --json: a field on each line, as GET …/fields has it")]
    Fields {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
    },
    /// List the types of cards that a project defines
    #[command(after_help = "\
Example:
  atelier cards types gearbox

With --json: a type on each line, as GET …/card-types has it")]
    Types {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
    },
    /// Show a card with its tags, people, boards and comments
    #[command(after_help = "\
Examples:
  atelier cards show gearbox \"Cut the teeth\"
  atelier cards show gearbox GEAR-12 --at 2026-11-20T09:30:00Z

With --at, comments, lines and commits are left out. With --json: {\"card\", \"indexCard\", \"comments\", …}")]
    Show {
        #[command(flatten)]
        card: CardArgument,
        /// As it was at this time, or at the beginning of this day in UTC
        #[arg(long, value_name = "TIME")]
        at: Option<DateOrTime>,
    },
    /// Create a card
    #[command(after_help = "\
Example:
  atelier cards create gearbox \"Cut the teeth\" --type change --effort 3 --deadline 2026-12-01 --tag urgent

With --json: the answer of POST …/cards")]
    Create {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Name of the card
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        fields: CardFieldArguments,
        /// Assign it to you
        #[arg(long)]
        mine: bool,
        /// Put a tag on it
        #[arg(long, value_name = "TAG")]
        tag: Vec<String>,
    },
    /// Change, close or reopen a card
    #[command(after_help = "\
Examples:
  atelier cards edit gearbox \"Cut the teeth\" --effort 5
  atelier cards edit gearbox \"Cut the teeth\" --close --resolution \"Done on the new mill\"

Nothing is changed if somebody else changed the card since. With --json: the answer of PATCH …/cards/{cardId}")]
    Edit {
        #[command(flatten)]
        card: CardArgument,
        /// New name
        #[arg(long, value_name = "NAME")]
        rename: Option<String>,
        #[command(flatten)]
        fields: CardFieldArguments,
        /// Result of the work, as Markdown
        #[arg(long, value_name = "TEXT")]
        resolution: Option<String>,
        /// Close the card
        #[arg(long, conflicts_with = "reopen")]
        close: bool,
        /// Open the card again
        #[arg(long)]
        reopen: bool,
    },
    /// Put a card on a team's board, or move it there
    #[command(after_help = "\
Examples:
  atelier cards move gearbox \"Cut the teeth\" --team makers --to Doing
  atelier cards move gearbox \"Cut the teeth\" --team makers --sprint \"Sprint 4\"

With --json: the answer of PUT …/teams/{teamId}/cards/{cardId}")]
    Move {
        #[command(flatten)]
        card: CardArgument,
        /// Team of the board
        #[arg(long, value_name = "TEAM")]
        team: TeamArgument,
        /// Column; the card's own, or the leftmost, by default
        #[arg(long, value_name = "COLUMN")]
        to: Option<String>,
        /// Sprint, or none
        #[arg(long, value_name = "SPRINT")]
        sprint: Option<String>,
        /// Close the card, in a column that leaves this to you
        #[arg(long)]
        close: bool,
    },
    /// Assign a card to somebody, or to you
    #[command(after_help = "\
Examples:
  atelier cards assign gearbox \"Cut the teeth\"
  atelier cards assign gearbox \"Cut the teeth\" bob

With --json: the answer of PUT …/assignees/{userId}")]
    Assign {
        #[command(flatten)]
        card: CardArgument,
        /// Somebody with a role on the project: the id, the name, or me
        #[arg(value_name = "USER", default_value = "me")]
        user: String,
    },
    /// End an assignment
    #[command(after_help = "\
Example:
  atelier cards unassign gearbox \"Cut the teeth\" bob

With --json: the answer of DELETE …/assignees/{userId}")]
    Unassign {
        #[command(flatten)]
        card: CardArgument,
        /// Assignee: the id, the name, or me
        #[arg(value_name = "USER", default_value = "me")]
        user: String,
    },
    /// Put a tag on a card
    #[command(after_help = "\
Example:
  atelier cards tag gearbox \"Cut the teeth\" urgent

With --json: the answer of PUT …/tags/{tagId}")]
    Tag {
        #[command(flatten)]
        card: CardArgument,
        /// Tag: its id or its name
        #[arg(value_name = "TAG")]
        tag: String,
    },
    /// Take a tag off a card
    #[command(after_help = "\
Example:
  atelier cards untag gearbox \"Cut the teeth\" urgent

With --json: the answer of DELETE …/tags/{tagId}")]
    Untag {
        #[command(flatten)]
        card: CardArgument,
        /// Tag: its id or its name
        #[arg(value_name = "TAG")]
        tag: String,
    },
    /// Say that a card blocks or duplicates another one, or is related to it
    #[command(after_help = "\
Example:
  atelier cards relate gearbox GB-3 blocks GB-7

With --json: the answer of PUT …/relations/{otherCardId}")]
    Relate(RelatedCards),
    /// End a relation of two cards
    #[command(after_help = "\
Example:
  atelier cards unrelate gearbox GB-3 blocks GB-7

With --json: the answer of DELETE …/relations/{otherCardId}")]
    Unrelate(RelatedCards),
    /// Add a line to a card's checklist
    #[command(after_help = "\
Example:
  atelier cards check gearbox GB-3 \"Measure the run-out\"

With --json: the answer of POST …/checklist")]
    Check {
        #[command(flatten)]
        card: CardArgument,
        /// Text of the line
        #[arg(value_name = "TEXT")]
        text: String,
    },
    /// Tick a line of a card's checklist
    #[command(after_help = "\
Examples:
  atelier cards tick gearbox GB-3 2
  atelier cards tick gearbox GB-3 2 --undo

With --json: the answer of PATCH …/checklist/{itemId}")]
    Tick {
        #[command(flatten)]
        card: CardArgument,
        /// Number of the line, as `cards show` tells it
        #[arg(value_name = "LINE")]
        line: usize,
        /// Clear the tick
        #[arg(long)]
        undo: bool,
    },
    /// Attach files to a card
    Attach(Attach),
    /// List a card's attachments
    #[command(after_help = "\
Example:
  atelier cards attachments gearbox GB-3

With --json: an attachment on each line, as GET …/attachments has it")]
    Attachments {
        #[command(flatten)]
        card: CardArgument,
    },
    /// Download an attachment of a card
    Download(DownloadAttached),
    /// Remove an attachment from a card
    #[command(after_help = "\
Example:
  atelier cards detach gearbox GB-3 run-out.csv

With --json: the answer of DELETE …/attachments/{attachmentId}")]
    Detach(AttachmentArgument),
    /// Delete a card; its history stays
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier cards rm gearbox \"Cut the teeth\"

In a terminal you are asked before. To end its work, close it: atelier cards edit --close

With --json: the answer of DELETE …/cards/{cardId}"
    )]
    Rm {
        #[command(flatten)]
        card: CardArgument,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Comment on a card
    #[command(after_help = "\
Example:
  atelier cards comment gearbox \"Cut the teeth\" \"The mill is free on Monday\"

With --json: the answer of POST …/comments")]
    Comment {
        #[command(flatten)]
        card: CardArgument,
        /// Text, as Markdown
        #[arg(value_name = "TEXT")]
        text: String,
    },
}

/// A card on the command line.
#[derive(Clone, Debug, Args)]
pub(crate) struct CardArgument {
    /// Project
    #[arg(value_name = "PROJECT")]
    pub(crate) project: ProjectArgument,
    /// Card: its key, its id or its name; where nothing is changed, also a unique beginning
    #[arg(value_name = "CARD")]
    pub(crate) card: String,
}

/// A relation of two cards on the command line.
#[derive(Debug, Args)]
pub(crate) struct RelatedCards {
    #[command(flatten)]
    pub(crate) card: CardArgument,
    /// Relation
    #[arg(value_name = "KIND")]
    pub(crate) kind: RelationArgument,
    /// The other card of the project: its key, its id or its name
    #[arg(value_name = "OTHER")]
    pub(crate) other: String,
}

/// The kind of a relation on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RelationArgument {
    /// The other card can't be finished before this one
    Blocks,
    /// Who works on one should know of the other
    Relates,
    /// This card asks for the same as the other one
    Duplicates,
}

impl From<RelationArgument> for RelationKind {
    fn from(argument: RelationArgument) -> Self {
        match argument {
            RelationArgument::Blocks => Self::Blocks,
            RelationArgument::Relates => Self::Relates,
            RelationArgument::Duplicates => Self::Duplicates,
        }
    }
}

/// Fields that a new card and a changed one have.
#[derive(Clone, Debug, Args)]
pub(crate) struct CardFieldArguments {
    /// Description, as Markdown
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Estimate
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = effort)]
    pub(crate) effort: Option<i64>,
    /// Priority: none, low, medium, high or urgent
    #[arg(long, value_name = "PRIORITY")]
    pub(crate) priority: Option<Priority>,
    /// Kind of work: task, bug, change or another. One that the project defines fills in new cards
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) card_type: Option<CardType>,
    /// Card of which it is a part: its id or its key
    #[arg(long, value_name = "CARD")]
    pub(crate) parent: Option<CardName>,
    /// Day on which work begins
    #[arg(long, value_name = "DATE")]
    pub(crate) start: Option<CalendarDay>,
    /// Due date; a date means its end
    #[arg(long, visible_alias = "due", value_name = "DATE")]
    pub(crate) deadline: Option<DateOrTime>,
    /// Custom field with its value; without a value to clear it
    #[arg(long = "field", value_name = "NAME=VALUE")]
    pub(crate) custom: Vec<String>,
}

/// Reads an estimate. A wrong one is refused by its range, and not as an unknown option.
fn effort(text: &str) -> CommandResult<i64, String> {
    let number = text.parse::<i64>().map_err(|_| InvalidEffort.to_string())?;
    Effort::try_from(number).map(|effort| effort.get().into()).map_err(|error| error.to_string())
}
