//! Settings of conversions.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Allowed resolutions of page images, in dots per inch.
pub const RESOLUTIONS_DPI: RangeInclusive<u16> = 36..=600;

/// Limits of a conversion and settings for rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Resolution of page images, in dots per inch, within [`RESOLUTIONS_DPI`]; lower for large pages.
    pub resolution_dpi: u16,
    /// Time for rendering; the remaining pages stay without an image. The sandbox allows more, because its timeout loses the
    /// whole conversion.
    pub render_time: Duration,
    /// Threads that render pages.
    pub threads: NonZeroUsize,
    /// Most bytes of images in the output.
    pub output_max_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            resolution_dpi: 150,
            render_time: Duration::from_secs(40),
            // Two: more would slow other work too much.
            threads: NonZeroUsize::MIN.saturating_add(1),
            output_max_bytes: 1 << 30,
        }
    }
}
