//! Builds the process from its settings and serves until it is stopped.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use auth::grant::GrantVerifier;
use domain::Result;
use domain::id::ProcessId;
use domain::time::Clock;
use link::Link;
use store::Store;
use tokio::sync::oneshot;
use wire::{Limiter, Metrics, Readiness, Service, Shutdown};

use crate::app::App;
use crate::attach::queue::AttachQueue;
use crate::blobs::Blobs;
use crate::convert::Converter;
use crate::deferred;
use crate::preview::{self, Previews};
use crate::routes;
use crate::settings::ServeSettings;
use crate::slots::Slots;
use crate::stored_bytes::StoredBytes;
use crate::sweep;
use crate::unpack::Unpacker;

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// The settings can't be used, or a port can't be bound.
pub async fn run(mut settings: ServeSettings) -> anyhow::Result<Shutdown> {
    let metrics = Metrics::install()?;
    let bounds = settings.deployment.bounds()?;
    settings.server.shutdown_notice = Duration::from_secs(bounds.shutdown_notice_secs);
    settings.database.statement_secs = bounds.statement_secs;
    settings.conversion.bounds = bounds;
    let keys = &settings.grant_public_keys_file;
    let pem = std::fs::read_to_string(keys).with_context(|| format!("{} can't be read", keys.display()))?;
    let clock = Clock::system();
    let store = Store::open(&settings.database).context("PostgreSQL's settings can't be used")?;
    let link =
        Link::open(settings.redis, ProcessId::new(clock.now())).context("Redis's settings can't be used")?;
    link.announce_changes(store.change_events_written());
    let blobs = settings.blobs.open()?;
    let own = (store.clone(), blobs.clone(), clock);
    let (previews, preview_queue) = Previews::new(own, settings.previews, settings.conversion);
    let app = App {
        attach_queue: AttachQueue::new(store.clone(), link.clone(), clock),
        clock,
        store,
        link,
        blobs,
        bounds,
        slots: Slots::new(bounds.uploads_per_session),
        stored_bytes: StoredBytes::new(settings.stored_bytes_limit),
        converter: Arc::new(Converter::new(settings.conversion)),
        previews: Arc::new(previews),
        unpacker: Arc::new(Unpacker::new(settings.conversion)),
        grants: Arc::new(
            GrantVerifier::from_pem(&pem)
                .with_context(|| format!("{} holds no public keys", keys.display()))?,
        ),
    };
    let readiness = readiness(&app);
    let converter = Arc::clone(&app.converter);
    tokio::spawn(async move { converter.check().await });
    let deferred = deferred::run(app.clone());
    let drawn = preview::run(Arc::clone(&app.previews), preview_queue);
    let sweep =
        sweep::run(app.blobs.clone(), app.store.clone(), clock, bounds, settings.previews.preview_bytes);
    let audited = app.store.clone();
    let (has_served, served) = oneshot::channel::<()>();
    let journal = tokio::spawn(async move { audited.keep_audit_log(async { drop(served.await) }).await });
    let counter = app.link.clone();
    let limiter = Limiter::new(settings.rates.limits(), move |charges| {
        let link = counter.clone();
        async move { link.count(&charges).await }
    });
    let service = Service { table: routes::table(), app, clock, limiter, readiness, metrics };
    tokio::select! {
        stopped = wire::serve(&settings.server, service) => {
            let stopped = stopped?;
            if stopped == Shutdown::Graceful {
                drop(has_served);
                journal.await?;
            }
            Ok(stopped)
        }
        () = sweep => bail!("the sweep has ended"),
        never = drawn => match never {},
        () = deferred => bail!("the conversion of deferred files has ended"),
    }
}

fn readiness(app: &App) -> Readiness {
    let (store, blobs, link) = (app.store.clone(), app.blobs.clone(), app.link.clone());
    Readiness::new()
        .required("postgresql", move || check_schema(store.clone()))
        .required("blobs", move || check(blobs.clone()))
        // Without Redis followers of sessions learn of an upload a second later.
        .optional("redis", move || reach(link.clone()))
}

async fn check_schema(store: Store) -> Result<()> {
    store.check_schema().await
}

async fn check(blobs: Blobs) -> Result<()> {
    blobs.check().await
}

async fn reach(link: Link) -> Result<()> {
    link.check().await
}

#[cfg(test)]
mod tests {
    use wire::Bounds;

    /// Longest time to store the images of a converted upload and attach it, in seconds.
    const ATTACHING_SECS: u32 = 30;

    #[test]
    fn the_sweep_spares_the_blobs_of_uploads_that_are_being_converted() {
        let Bounds { sweep_grace_secs, conversion_wait_secs, conversion_secs, .. } = Bounds::default();
        assert!(sweep_grace_secs > conversion_wait_secs + conversion_secs + ATTACHING_SECS);
    }
}
