//! Arguments of the commands on attachments of cards.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::cards::CardArgument;
use crate::arguments::transfer::Messages;

/// Arguments of `cards attach`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier cards attach gearbox GB-3 run-out.csv photo.jpg

They belong to the card and not to the project's tree. The first failure ends the command; what is attached stays.
The same command goes on with a large file after a break.

With --json: the answer for each file on a line")]
pub(crate) struct Attach {
    #[command(flatten)]
    pub(crate) card: CardArgument,
    /// Files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) messages: Messages,
}

/// Arguments of `cards download`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier cards download gearbox GB-3 run-out.csv
  atelier cards download gearbox GB-3 photo.jpg -o front.jpg

The file appears when it is whole and verified. The same command goes on after a break.

With --json: {\"attachmentId\", \"path\", \"sha256\", \"size\"}")]
pub(crate) struct DownloadAttached {
    #[command(flatten)]
    pub(crate) attached: AttachmentArgument,
    /// File to write; the attachment's name by default
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite a file that is there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) messages: Messages,
}

/// An attachment on the command line.
#[derive(Debug, Args)]
pub(crate) struct AttachmentArgument {
    #[command(flatten)]
    pub(crate) card: CardArgument,
    /// Attachment: its id or its name
    #[arg(value_name = "ATTACHMENT")]
    pub(crate) attachment: String,
}
