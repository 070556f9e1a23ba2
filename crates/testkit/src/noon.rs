//! A time zone for tests of days.

use domain::time::Clock;

/// A zone in which it is about noon, so that no day ends within a test.
pub fn zone() -> String {
    let hour = Clock::system().now().unix_seconds() / 3_600 % 24;
    // The signs of these names are those of POSIX, with hours to the west of Greenwich.
    match 12 - hour {
        east @ 0.. => format!("Etc/GMT-{east}"),
        west => format!("Etc/GMT+{}", -west),
    }
}
