//! Settings of conversions.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use sandbox::{Limits, Protection};
use wire::Bounds;

use super::worker::OBJECTS_MAX_BYTES;

/// Fraction of a worker's time for rendering. Later pages get no image, so that the worker ends before its limit.
const RENDERING: (u32, u32) = (2, 3);
/// Most bytes of all page images of one document.
const IMAGES_MAX_BYTES: u64 = 1 << 30;
/// Threads of one worker.
const THREADS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// Limits and concurrency of conversions.
#[derive(Args, Clone, Copy, Debug)]
pub struct ConversionSettings {
    /// Most memory of one conversion, in bytes of address space, including the program.
    #[arg(long, env = "ATELIER_CONVERSION_MEMORY_BYTES", value_name = "BYTES", default_value_t = 2 << 30, value_parser = clap::value_parser!(u64).range(256 << 20..))]
    pub conversion_memory_bytes: u64,

    /// Most concurrent conversions of small files, and of large files. One user has all but one of them at a time.
    #[arg(long, env = "ATELIER_CONVERSIONS_AT_ONCE", value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub conversions_at_once: u16,

    /// Convert without confinement if the kernel lacks Landlock or seccomp. Time and memory stay limited, but a file that
    /// exploits its reader gets the service's rights. Off, such a kernel keeps files unconverted.
    #[arg(long, env = "ATELIER_CONVERSION_UNPROTECTED")]
    pub conversion_unprotected: bool,

    /// The times of conversions, and the resolution of their images.
    #[arg(skip)]
    pub bounds: Bounds,
}

impl ConversionSettings {
    /// Longest wait of an upload for a permit.
    pub(crate) fn wait(&self) -> Duration {
        Duration::from_secs(self.bounds.conversion_wait_secs.into())
    }

    /// The limits of a worker.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            time: self.time(),
            processor_time: Duration::from_secs(self.bounds.conversion_processor_secs.into()),
            memory_bytes: self.conversion_memory_bytes,
            output_bytes: IMAGES_MAX_BYTES.saturating_add(OBJECTS_MAX_BYTES),
            // Readers start few threads, and a large file should not wait for one processor.
            processors: None,
        }
    }

    /// The behaviour of a worker that can't be confined.
    pub(crate) fn protection(&self) -> Protection {
        if self.conversion_unprotected { Protection::BestEffort } else { Protection::Required }
    }

    /// The settings of readers.
    pub(crate) fn of_readers(&self) -> import::Settings {
        let (part, of) = RENDERING;
        import::Settings {
            resolution_dpi: self.bounds.resolution_dpi,
            render_time: self.time() * part / of,
            threads: THREADS,
            output_max_bytes: IMAGES_MAX_BYTES,
        }
    }

    fn time(&self) -> Duration {
        Duration::from_secs(self.bounds.conversion_secs.into())
    }
}
