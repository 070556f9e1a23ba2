//! Settings of conversions.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use sandbox::{Limits, Protection};

use super::worker::OBJECTS_MAX_BYTES;

/// Fraction of a worker's time for rendering. Later pages get no image, so that the worker ends before its limit.
const RENDERING: (u32, u32) = (2, 3);
/// Threads of one worker.
const THREADS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// Limits and concurrency of conversions.
#[derive(Args, Clone, Copy, Debug)]
pub struct ConversionSettings {
    /// Longest conversion of one file, in seconds. A file that takes longer is kept unconverted.
    #[arg(long, env = "ATELIER_CONVERSION_TIME_SECS", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub conversion_time_secs: u32,

    /// Most processor time of one conversion, in seconds, summed over its threads.
    #[arg(long, env = "ATELIER_CONVERSION_PROCESSOR_SECS", value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub conversion_processor_secs: u32,

    /// Most memory of one conversion, in bytes of address space, including the program.
    #[arg(long, env = "ATELIER_CONVERSION_MEMORY_BYTES", value_name = "BYTES", default_value_t = 2 << 30, value_parser = clap::value_parser!(u64).range(256 << 20..))]
    pub conversion_memory_bytes: u64,

    /// Most bytes of all page images of one document.
    #[arg(long, env = "ATELIER_CONVERSION_IMAGES_BYTES", value_name = "BYTES", default_value_t = 1 << 30, value_parser = clap::value_parser!(u64).range(1..=16 << 30))]
    pub conversion_images_bytes: u64,

    /// Resolution of page images, in dots per inch.
    #[arg(long, env = "ATELIER_CONVERSION_RESOLUTION_DPI", value_name = "DPI", default_value_t = 150, value_parser = RangedU64ValueParser::<u16>::new().range(resolutions()))]
    pub conversion_resolution_dpi: u16,

    /// Most concurrent conversions of small files, and of large files. One user has all but one of them at a time.
    #[arg(long, env = "ATELIER_CONVERSIONS_AT_ONCE", value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub conversions_at_once: u16,

    /// Longest wait of an upload for its conversion, in seconds. The file is then converted later.
    #[arg(long, env = "ATELIER_CONVERSION_WAIT_SECS", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub conversion_wait_secs: u32,

    /// Convert without confinement if the kernel lacks Landlock or seccomp. Time and memory stay limited, but a file that
    /// exploits its reader gets the service's rights. Off, such a kernel keeps files unconverted.
    #[arg(long, env = "ATELIER_CONVERSION_UNPROTECTED")]
    pub conversion_unprotected: bool,
}

impl ConversionSettings {
    /// Longest time from an upload's last byte to the end of its conversion.
    pub fn longest(&self) -> Duration {
        self.wait() + self.time()
    }

    /// Longest wait of an upload for a permit.
    pub(crate) fn wait(&self) -> Duration {
        Duration::from_secs(self.conversion_wait_secs.into())
    }

    /// The limits of a worker.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            time: self.time(),
            processor_time: Duration::from_secs(self.conversion_processor_secs.into()),
            memory_bytes: self.conversion_memory_bytes,
            output_bytes: self.conversion_images_bytes.saturating_add(OBJECTS_MAX_BYTES),
            // Readers start few threads, and a large file should not wait for one processor.
            processors: None,
        }
    }

    /// The behaviour of a worker that can't be confined.
    pub(crate) fn protection(&self) -> Protection {
        if self.conversion_unprotected { Protection::BestEffort } else { Protection::Required }
    }

    /// The settings of readers.
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
