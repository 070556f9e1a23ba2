//! Arguments of the commands on bills of materials.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use domain::content::bom::column::BomColumns;

use crate::resource::PlaceArgument;
use crate::revision::RevisionArgument;

/// The rules by which objects are one part.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SamePart {
    /// Their definitions have the same id, name, version and shape
    Definition,
    /// Their shapes are equal, under any name
    Geometry,
}

/// The formats of a bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BillFormat {
    /// Columns for a terminal
    Table,
    /// Comma-separated values
    Csv,
    /// The service's answer
    Json,
    /// A workbook
    Xlsx,
}

/// Arguments of `bom`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier bom gearbox
  atelier bom gearbox:/Model/Gearbox --flat --properties partNumber,material,supplier
  atelier bom gearbox --at 8f3c1a09be --by geometry
  atelier bom gearbox -o gearbox.xlsx

Equal siblings share a row. QUANTITY is that in each one of the row above, TOTAL that in the whole. Uncommitted changes
count, unless --at names a commit, and so do included packages that you may read. Warnings go to standard error.

A property is partNumber, material, description, a field of the data, or a JSON Pointer as /data/size/x. Several values
in one row have semicolons between.

With --json: the bill, as GET …/bom answers it")]
pub(crate) struct Bom {
    /// Project, or a place in it
    #[arg(value_name = "PROJECT[:/PATH]")]
    pub(crate) place: PlaceArgument,
    /// List every part without parts of its own once, with its quantity in the whole
    #[arg(long)]
    pub(crate) flat: bool,
    /// Rule by which objects are one part; definition by default
    #[arg(long, value_enum, value_name = "RULE")]
    pub(crate) by: Option<SamePart>,
    /// Branch, or commit by its hash or 7 digits and more; the project's branch by default
    #[arg(long, value_name = "BRANCH|COMMIT")]
    pub(crate) at: Option<RevisionArgument>,
    /// Deepest level to show
    #[arg(long, value_name = "LEVELS")]
    pub(crate) depth: Option<u32>,
    /// Properties to show, with commas between; partNumber,material by default
    #[arg(long, value_name = "NAMES")]
    pub(crate) properties: Option<BomColumns>,
    /// Format; by default that of FILE's ending, or table
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<BillFormat>,
    /// File to write, or - for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite a file that is there
    #[arg(long)]
    pub(crate) force: bool,
}

/// Arguments of `uses`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier uses gearbox:/Model/Gearbox/Bolt
  atelier uses gearbox:/Library/Bearings
  atelier uses --part 4711

An object stands for its part, a package for its includes. All projects of your list are searched, on their default
branches: that of the object first. --part takes the id, the name or the number of a part, exactly as it is written.

With --json: a project on each line, a row of \"projects\" of GET …/uses")]
pub(crate) struct Uses {
    /// Place of the object
    #[arg(value_name = "PROJECT:/PATH", required_unless_present = "part")]
    pub(crate) place: Option<PlaceArgument>,
    /// Part by its id, name or number, in place of an object
    #[arg(long, value_name = "TEXT", conflicts_with = "place")]
    pub(crate) part: Option<String>,
    /// Rule by which objects are one part; definition by default
    #[arg(long, value_enum, value_name = "RULE", conflicts_with = "part")]
    pub(crate) by: Option<SamePart>,
}
