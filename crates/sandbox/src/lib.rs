//! Runs untrusted work in a process of its own: no network, no files but the ones handed over, and limits on time,
//! memory and output.
