//! What an operator decides about conversions.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Resolutions that images of pages may have, in dots per inch.
pub const RESOLUTIONS_DPI: RangeInclusive<u16> = 36..=600;

/// What one conversion may take, and how it renders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Resolution of the images of pages, in dots per inch, of [`RESOLUTIONS_DPI`]; less for pages that are too large for it.
    pub resolution_dpi: u16,
    /// How long pages may be rendered before those that are left stay without an image. What confines the conversion
    /// allows more than this, as it would end with nothing.
    pub render_time: Duration,
    /// Threads that render pages.
    pub threads: NonZeroUsize,
    /// Most bytes to write to the output, which holds the images.
    pub output_max_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            resolution_dpi: 150,
            render_time: Duration::from_secs(40),
            // More than a conversion is worth taking from others.
            threads: NonZeroUsize::MIN.saturating_add(1),
            output_max_bytes: 1 << 30,
        }
    }
}
