//! Watches access while bytes move, and ends an upload or a download when it is lost.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use auth::actor::{ActorGrant, Requirement};
use bytes::Bytes;
use domain::id::UserId;
use domain::{Code, Error, Result};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use store::{Call, Store, Target};
use tokio::time::Instant;
use wire::Download;

use crate::app::presented_grant;

/// Interval of the checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Longest time that a transfer continues while access can't be checked.
const CHECK_PATIENCE: Duration = Duration::from_secs(5);

/// Returns when the grant's session is closed or its key ends, or after [`CHECK_PATIENCE`] without a successful check.
/// Calls `alive` after each successful check.
pub async fn grant_end(store: &Store, user: UserId, grant: &ActorGrant, alive: impl AsyncFn()) -> Error {
    let mut last = Instant::now();
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        match store.check_grant(user, grant).await {
            Ok(()) => {
                last = Instant::now();
                alive().await;
            }
            Err(error) if error.code == Code::Unavailable && last.elapsed() < CHECK_PATIENCE => {}
            Err(error) => return error,
        }
    }
}

/// The answer with a file, whose bytes end when the caller's grant does, or the caller may no longer read what `at`
/// names.
pub fn while_readable<P, T>(answer: Download, store: Store, call: Call<P>, at: T) -> Download
where
    P: Requirement,
    T: Target<P> + 'static,
{
    let reader = Rc::new((store, call, at));
    let check = move || {
        let reader = Rc::clone(&reader);
        async move {
            let (store, call, at) = &*reader;
            store.check_grant(call.actor.user, presented_grant(&call.actor)?).await?;
            store.read(call, at, async |_, _| Ok(())).await
        }
        .boxed_local()
    };
    let now = Instant::now();
    Download(answer.0.map_body(|_, body| {
        WatchedBody { body, check: Box::new(check), running: None, checked_at: now, alive_at: now }.boxed()
    }))
}

/// A body whose bytes wait for a check that is due.
struct WatchedBody {
    body: BoxBody,
    check: Box<dyn Fn() -> LocalBoxFuture<'static, Result<()>>>,
    running: Option<LocalBoxFuture<'static, Result<()>>>,
    /// The end of the last check.
    checked_at: Instant,
    /// The end of the last check that succeeded.
    alive_at: Instant,
}

impl WatchedBody {
    /// Does the check that is due, if any; the failure ends the body.
    fn poll_check(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        if self.running.is_none() && self.checked_at.elapsed() >= CHECK_INTERVAL {
            self.running = Some((self.check)());
        }
        let Some(running) = &mut self.running else { return Poll::Ready(Ok(())) };
        let checked = ready!(running.as_mut().poll(cx));
        self.running = None;
        self.checked_at = Instant::now();
        Poll::Ready(match checked {
            Err(error) if error.code == Code::Unavailable && self.alive_at.elapsed() < CHECK_PATIENCE => {
                Ok(())
            }
            Err(error) => Err(error),
            Ok(()) => {
                self.alive_at = self.checked_at;
                Ok(())
            }
        })
    }
}

impl MessageBody for WatchedBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        match ready!(this.poll_check(cx)) {
            Ok(()) => Pin::new(&mut this.body).poll_next(cx),
            Err(error) => Poll::Ready(Some(Err(error.into()))),
        }
    }
}
