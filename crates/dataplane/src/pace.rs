//! Whether a client sends its body fast enough. A client that trickles holds a connection for next to nothing.
//!
//! Only the time spent waiting for the client counts: where the store is slow, the client can't help it.

use std::time::Duration;

use domain::{Code, Error, Result};

/// Longest time until the first byte of a body.
pub const FIRST_BYTE: Duration = Duration::from_secs(10);

/// Length of the window in which the rate is measured, in time spent waiting for the client.
pub const WINDOW: Duration = Duration::from_secs(30);

/// Least bytes in a window: 1 KB/s.
pub const WINDOW_BYTES: usize = 30 * 1000;

/// The pace of one body.
#[derive(Debug, Default)]
pub struct Pace {
    /// Whether any byte has arrived.
    begun: bool,
    waited: Duration,
    bytes: usize,
}

impl Pace {
    /// How long to wait for the next bytes before the client is too slow.
    pub fn patience(&self) -> Duration {
        if self.begun {
            WINDOW.saturating_sub(self.waited)
        } else {
            FIRST_BYTE
        }
    }

    /// Notes that `bytes` arrived after the client was waited for that long.
    ///
    /// # Errors
    /// `REQUEST_TIMEOUT` where a window ended with too little.
    pub fn arrived(&mut self, bytes: usize, waited: Duration) -> Result<()> {
        self.begun = true;
        self.waited = self.waited.saturating_add(waited);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.waited < WINDOW {
            return Ok(());
        }
        if self.bytes < WINDOW_BYTES {
            return Err(too_slow());
        }
        (self.waited, self.bytes) = (Duration::ZERO, 0);
        Ok(())
    }

    /// Notes that nothing arrived within [`Pace::patience`].
    ///
    /// # Errors
    /// `REQUEST_TIMEOUT`, unless the window had already seen enough.
    pub fn starved(&mut self) -> Result<()> {
        if !self.begun {
            return Err(too_slow());
        }
        self.arrived(0, self.patience())
    }
}

fn too_slow() -> Error {
    Error::new(Code::RequestTimeout, "The body arrives too slowly.")
}

#[cfg(test)]
mod tests {
    use super::{FIRST_BYTE, Pace, WINDOW, WINDOW_BYTES};
    use domain::Code;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_first_byte_is_waited_for_ten_seconds() {
        let mut pace = Pace::default();
        assert_eq!(pace.patience(), FIRST_BYTE);
        assert_eq!(pace.starved().unwrap_err().code, Code::RequestTimeout);
    }

    #[test]
    fn one_byte_a_second_is_too_slow_after_thirty_seconds() {
        let mut pace = Pace::default();
        for _ in 0..29 {
            pace.arrived(1, SECOND).unwrap();
        }
        assert_eq!(pace.patience(), SECOND);
        assert_eq!(pace.arrived(1, SECOND).unwrap_err().code, Code::RequestTimeout);
    }

    #[test]
    fn silence_in_the_middle_ends_with_the_window() {
        let mut pace = Pace::default();
        pace.arrived(1, Duration::ZERO).unwrap();
        assert_eq!(pace.patience(), WINDOW);
        assert_eq!(pace.starved().unwrap_err().code, Code::RequestTimeout);
    }

    #[test]
    fn a_kilobyte_a_second_is_fast_enough_for_ever_and_silence_after_a_burst_for_a_window() {
        let mut pace = Pace::default();
        for _ in 0..600 {
            pace.arrived(1_000, SECOND).unwrap();
        }
        pace.arrived(WINDOW_BYTES, Duration::ZERO).unwrap();
        pace.starved().unwrap();
        assert_eq!(pace.starved().unwrap_err().code, Code::RequestTimeout);
    }
}
