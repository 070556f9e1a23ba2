//! Filters of cards as arguments. Each takes values, and with `!` in front those that cards must not have.

use clap::Args;
use domain::planning::card::{DueTerms, ParentTerms, PriorityTerms, TypeTerms};

use crate::team::TeamArgument;

/// Filters of cards that need no project.
#[derive(Clone, Debug, Args)]
pub(crate) struct CardFilterArguments {
    /// Only cards assigned to you
    #[arg(long, conflicts_with = "assignee")]
    pub(crate) mine: bool,
    /// Only cards assigned to this person: the id, the name, me or none; several times for one of several
    #[arg(long, value_name = "USER")]
    pub(crate) assignee: Vec<String>,
    /// Only cards with one of these priorities
    #[arg(long, value_name = "PRIORITY,…")]
    pub(crate) priority: Option<PriorityTerms>,
    /// Only cards of one of these types
    #[arg(long = "type", value_name = "TYPE,…")]
    pub(crate) card_type: Option<TypeTerms>,
    /// Only cards by their deadline: none, late, week
    #[arg(long, value_name = "DUE,…")]
    pub(crate) due: Option<DueTerms>,
}

/// All filters of cards.
#[derive(Clone, Debug, Args)]
pub(crate) struct ListFilterArguments {
    #[command(flatten)]
    pub(crate) cards: CardFilterArguments,
    /// Only cards with this tag; with all of them, if given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Only the children of these cards: keys or ids
    #[arg(long, value_name = "CARD,…")]
    pub(crate) parent: Option<ParentTerms>,
    /// Only cards on the board of this team
    #[arg(long, value_name = "TEAM")]
    pub(crate) team: Option<TeamArgument>,
    /// Only cards in this column of the board; several times for one of several
    #[arg(long, value_name = "COLUMN", requires = "team")]
    pub(crate) column: Vec<String>,
    /// Only cards in this sprint of the team; several times for one of several
    #[arg(long, value_name = "SPRINT", requires = "team")]
    pub(crate) sprint: Vec<String>,
    /// Only cards that contain this text
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) query: Option<String>,
}
