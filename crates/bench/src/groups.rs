//! Groups of measurements, a module for each.

mod available;
mod board;
mod cards;
mod clone;
mod command_line;
mod console;
mod content;
mod events;
mod neighbours;
mod pdf;
mod planning;
mod previews;
mod project;
mod reads;
mod search;
mod small;
mod step;
mod stop;
mod tools;
mod upload;

use anyhow::Result;
use clap::ValueEnum;

use crate::log;
use crate::stack::Stack;
use crate::table::Row;

/// A group of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Group {
    /// A file of 2 GiB, and the memory that it takes
    Upload,
    /// Files of 16 KiB
    Small,
    /// A project's tree and record
    Reads,
    /// A tree by a tool
    Tools,
    /// A thousand followed sessions
    Events,
    /// Stopping a run while its model answers
    Stop,
    /// Reads of a user while another one asks for too much
    Neighbours,
    /// A team's board of 2,000 cards
    Board,
    /// Creation of projects
    Project,
    /// Changes, commits, branches and trees of projects of three sizes, and bills of materials
    Content,
    /// The search in the texts of 10^6 objects
    Search,
    /// Clones by Git
    Clone,
    /// The program `atelier`
    CommandLine,
    /// The console, in Chromium
    Console,
    /// Creation of cards
    Cards,
    /// A team's search for cards
    Available,
    /// Filtered pages of 10^6 cards, flow reports, an import
    Planning,
    /// Reading of STEP files, without the service
    Step,
    /// Images of the pages of PDFs, without the service
    Pdf,
    /// Faces, edges and pictures of shapes, and uploads beside them
    Previews,
}

/// Takes rows as soon as they are measured.
pub(crate) type Tell<'a> = &'a dyn Fn(Vec<Row>) -> Result<()>;

impl Group {
    /// Its name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Measures a group. Large ones tell their rows in parts, so that a failure leaves those before it.
pub(crate) fn measure(stack: &Stack, group: Group, tell: Tell<'_>) -> Result<()> {
    log(format_args!("measuring {}", group.name()));
    let measure = match group {
        Group::Upload => upload::measure,
        Group::Small => small::measure,
        Group::Reads => reads::measure,
        Group::Tools => tools::measure,
        Group::Events => events::measure,
        Group::Stop => stop::measure,
        Group::Neighbours => neighbours::measure,
        Group::Board => board::measure,
        Group::Project => project::measure,
        Group::Clone => clone::measure,
        Group::CommandLine => command_line::measure,
        Group::Console => console::measure,
        Group::Cards => cards::measure,
        Group::Available => return available::measure(stack, tell),
        Group::Planning => return planning::measure(stack, tell),
        Group::Step => step::measure,
        Group::Pdf => pdf::measure,
        Group::Content => return content::measure(stack, tell),
        Group::Search => return search::measure(stack, tell),
        Group::Previews => return previews::measure(stack, tell),
    };
    tell(measure(stack)?)
}
