//! The ways to stop this program: Ctrl-C, a termination, the end of its terminal.

#[cfg(unix)]
use std::task::Poll;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that stop this program. From the first `listen` on they no longer end the process.
#[derive(Debug)]
pub(crate) struct StopSignals {
    #[cfg(unix)]
    signals: Vec<Signal>,
}

impl StopSignals {
    /// Begins to listen. A signal that comes before it is waited for is kept.
    pub(crate) fn listen() -> Self {
        #[cfg(unix)]
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        Self {
            #[cfg(unix)]
            signals: kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect(),
        }
    }

    /// Waits for a signal.
    pub(crate) async fn received(&mut self) {
        #[cfg(unix)]
        std::future::poll_fn(|context| {
            let mut signals = self.signals.iter_mut();
            if signals.any(|signal| signal.poll_recv(context).is_ready()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        #[cfg(not(unix))]
        drop(tokio::signal::ctrl_c().await);
    }
}

/// Waits for a signal that stops this program.
pub(crate) async fn stopped() {
    StopSignals::listen().received().await;
}
