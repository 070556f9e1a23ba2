//! Arguments of the commands on boards and sprints.

use clap::{Args, Subcommand};
use domain::time::{CalendarDay, DateOrTime};

use crate::resource::ProjectArgument;
use crate::team::TeamArgument;

/// Commands on sprints.
#[derive(Debug, Subcommand)]
pub(crate) enum Sprints {
    /// List a team's sprints, newest first
    #[command(after_help = "\
Example:
  atelier sprints list makers

With --json: a sprint on each line, as GET …/sprints answers it")]
    List {
        /// Team
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
    },
    /// Create a sprint
    #[command(after_help = "\
Example:
  atelier sprints create makers \"Sprint 4\" --start 2026-11-23 --end 2026-12-04

With --json: the sprint")]
    Create {
        /// Team
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
        /// Name of the sprint
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        period: PeriodArguments,
    },
    /// Start a planned sprint
    #[command(after_help = "\
Example:
  atelier sprints start makers \"Sprint 4\" --start 2026-11-23 --end 2026-12-04

With --json: the sprint")]
    Start {
        /// Team
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
        /// Sprint: its id or its name
        #[arg(value_name = "SPRINT")]
        sprint: String,
        #[command(flatten)]
        period: PeriodArguments,
    },
    /// Complete an active sprint
    #[command(after_help = "\
Examples:
  atelier sprints complete makers
  atelier sprints complete makers \"Sprint 4\" --rest-to \"Sprint 5\"

With --json: the sprint with its report")]
    Complete {
        #[command(flatten)]
        sprint: SprintArgument,
        /// Place of the unfinished cards: backlog, keep, or another sprint
        #[arg(long, value_name = "PLACE", default_value = "backlog")]
        rest_to: String,
    },
    /// Draw a sprint's burndown
    #[command(after_help = "\
Example:
  atelier sprints burndown makers

With --json: the report of GET …/sprints/{sprintId}/report")]
    Burndown {
        #[command(flatten)]
        sprint: SprintArgument,
    },
}

/// A sprint on the command line.
#[derive(Clone, Debug, Args)]
pub(crate) struct SprintArgument {
    /// Team
    #[arg(value_name = "TEAM")]
    pub(crate) team: TeamArgument,
    /// Sprint: its id or its name; the active one by default
    #[arg(value_name = "SPRINT")]
    pub(crate) sprint: Option<String>,
}

/// The dates of a sprint.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct PeriodArguments {
    /// First day
    #[arg(long, value_name = "DATE")]
    pub(crate) start: Option<DateOrTime>,
    /// Last day
    #[arg(long, value_name = "DATE")]
    pub(crate) end: Option<DateOrTime>,
}

/// Arguments of `flow`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier flow gearbox
  atelier flow gearbox --team makers --from 2026-09-01 --to 2026-11-30

By default the 90 days that end today. The lead time of a card begins with its creation, its cycle time with its first
entry into a started column; P85 is the time in which 85 of 100 cards were closed. With --team the cards in each column
of its board are shown, and weeks and times are those of the cards that were on it.

With --json: the report of GET …/reports/flow")]
pub(crate) struct Flow {
    /// Project
    #[arg(value_name = "PROJECT")]
    pub(crate) project: ProjectArgument,
    /// First day
    #[arg(long, value_name = "DATE")]
    pub(crate) from: Option<CalendarDay>,
    /// Last day
    #[arg(long, value_name = "DATE")]
    pub(crate) to: Option<CalendarDay>,
    /// Team whose board to show
    #[arg(long, value_name = "TEAM")]
    pub(crate) team: Option<TeamArgument>,
}

/// Arguments of `history`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier history gearbox
  atelier history gearbox --card \"Cut the teeth\" -n 5
  atelier history gearbox --from 2026-11-23 --to 2026-11-27

The newest row comes first.

With --json: a row on each line, as GET …/history answers it")]
pub(crate) struct History {
    /// Project
    #[arg(value_name = "PROJECT")]
    pub(crate) project: ProjectArgument,
    /// Only this card's history
    #[arg(long, value_name = "CARD")]
    pub(crate) card: Option<String>,
    /// Most rows to show
    #[arg(long, short = 'n', default_value_t = 20, value_name = "NUMBER")]
    pub(crate) limit: usize,
    /// Only rows after this sequence
    #[arg(long, value_name = "SEQUENCE")]
    pub(crate) after: Option<u64>,
    /// First day
    #[arg(long, value_name = "DATE")]
    pub(crate) from: Option<DateOrTime>,
    /// Last day
    #[arg(long, value_name = "DATE")]
    pub(crate) to: Option<DateOrTime>,
}
