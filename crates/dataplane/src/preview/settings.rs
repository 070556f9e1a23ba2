//! Settings of previews.

use clap::{Args, ValueEnum};

/// When previews are made, and how much of them is kept. Their workers have the limits of conversions.
#[derive(Args, Clone, Copy, Debug)]
pub struct PreviewSettings {
    /// When previews are made.
    #[arg(long, env = "ATELIER_PREVIEWS", value_enum, default_value_t = PreviewTime::Uploads)]
    pub previews: PreviewTime,

    /// Most bytes of all previews of the deployment. Those at which nobody has looked for the longest time are dropped, and
    /// made again when somebody does.
    #[arg(long, env = "ATELIER_PREVIEW_BYTES", value_name = "BYTES", default_value_t = 20 << 30)]
    pub preview_bytes: u64,
}

/// A time at which previews are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PreviewTime {
    /// After uploads, and when somebody asks for one that isn't there.
    Uploads,
    /// Only when somebody asks for one.
    Asked,
}
