//! What an operator decides about conversions.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use sandbox::{Limits, Protection};

use super::worker::OBJECTS_MAX_BYTES;

/// Of a worker's time, the part after which pages stay without an image, so that it ends by itself.
const RENDERING: (u32, u32) = (2, 3);
/// Threads of one worker.
const THREADS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// How uploaded files are converted.
#[derive(Args, Clone, Copy, Debug)]
pub struct ConversionSettings {
    /// Seconds that converting one file may take; it is kept as it is else.
    #[arg(long, env = "ATELIER_CONVERSION_TIME_SECS", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub conversion_time_secs: u32,

    /// Seconds of processor time that converting one file may take, of all threads together.
    #[arg(long, env = "ATELIER_CONVERSION_PROCESSOR_SECS", value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub conversion_processor_secs: u32,

    /// Bytes of memory that converting one file may take: address space, the program itself among it.
    #[arg(long, env = "ATELIER_CONVERSION_MEMORY_BYTES", value_name = "BYTES", default_value_t = 2 << 30, value_parser = clap::value_parser!(u64).range(256 << 20..))]
    pub conversion_memory_bytes: u64,

    /// Bytes that the images of one document's pages may have together.
    #[arg(long, env = "ATELIER_CONVERSION_IMAGES_BYTES", value_name = "BYTES", default_value_t = 1 << 30, value_parser = clap::value_parser!(u64).range(1..=16 << 30))]
    pub conversion_images_bytes: u64,

    /// Resolution of the images of pages, in dots per inch.
    #[arg(long, env = "ATELIER_CONVERSION_RESOLUTION_DPI", value_name = "DPI", default_value_t = 150, value_parser = RangedU64ValueParser::<u16>::new().range(resolutions()))]
    pub conversion_resolution_dpi: u16,

    /// Most files that are converted at a time: as many small ones, and as many large ones.
    #[arg(long, env = "ATELIER_CONVERSIONS_AT_ONCE", value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub conversions_at_once: u16,

    /// Seconds that an upload waits for its turn to be converted; it is kept as it is then.
    #[arg(long, env = "ATELIER_CONVERSION_WAIT_SECS", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub conversion_wait_secs: u32,

    /// Convert even where the kernel can't confine what does it (no Landlock or no seccomp): limits on time and memory
    /// hold, but a file that takes over its reader has what the service has. Else such files are kept as they are.
    #[arg(long, env = "ATELIER_CONVERSION_UNPROTECTED")]
    pub conversion_unprotected: bool,
}

impl ConversionSettings {
    /// The longest time from an upload's last byte until it is converted or given up.
    pub fn longest(&self) -> Duration {
        self.wait() + self.time()
    }

    /// How long an upload waits for its turn.
    pub(super) fn wait(&self) -> Duration {
        Duration::from_secs(self.conversion_wait_secs.into())
    }

    /// What a worker may use.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            time: self.time(),
            processor_time: Duration::from_secs(self.conversion_processor_secs.into()),
            memory_bytes: self.conversion_memory_bytes,
            output_bytes: self.conversion_images_bytes.saturating_add(OBJECTS_MAX_BYTES),
        }
    }

    /// What a worker that can't be confined does.
    pub(super) fn protection(&self) -> Protection {
        if self.conversion_unprotected { Protection::BestEffort } else { Protection::Required }
    }

    /// What readers are told.
    pub(super) fn of_readers(&self) -> import::Settings {
        let (part, of) = RENDERING;
        import::Settings {
            resolution_dpi: self.conversion_resolution_dpi,
            render_time: self.time() * part / of,
            threads: THREADS,
            output_max_bytes: self.conversion_images_bytes,
        }
    }

    fn time(&self) -> Duration {
        Duration::from_secs(self.conversion_time_secs.into())
    }
}

fn resolutions() -> std::ops::RangeInclusive<u64> {
    u64::from(*import::RESOLUTIONS_DPI.start())..=u64::from(*import::RESOLUTIONS_DPI.end())
}
