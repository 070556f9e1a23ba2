//! `control serve` and `control migrate`: from settings to a running process.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent::models::Models;
use agent::outbound::Outbound;
use agent::tools::{Catalog, ClientTools, Executor, ForeignTools};
use anyhow::{Context, bail};
use auth::browser_token::development::DevelopmentIssuer;
use auth::grant::GrantSigner;
use auth::sealing::SealingKey;
use domain::id::ProcessId;
use domain::page::CursorKey;
use domain::time::Clock;
use link::{Announcement, Link};
use packs::Packs;
use sha2::{Digest, Sha256};
use store::{DatabaseConfig, Store};
use tokio::sync::oneshot;
use tokio_util::task::LocalPoolHandle;
use url::{Host, Url};
use wire::{AllowedOrigin, Bounds, Environment, Limiter, Metrics, Readiness, Service, Shutdown};

use crate::app::App;
use crate::change_feed::ChangeFeed;
use crate::credentials::grants::Grants;
use crate::credentials::issuers::{Development, Issuers};
use crate::credentials::oidc::OidcIssuer;
use crate::files::FileReader;
use crate::job_client::JobClient;
use crate::jobs::code_execution::WORKER;
use crate::jobs::host::JobHost;
use crate::kept::KeptAnswers;
use crate::mail::{Mailer, Mails};
use crate::pages::console::{ConsoleClient, ConsolePages};
use crate::sessions::events::EventStreams;
use crate::settings::{AgentSettings, CredentialSettings, ServeSettings};
use crate::streams::{StreamLimits, Streams};
use crate::{importer, maintenance, pages, routes, text_indexer};

/// Serves until a signal stops it.
///
/// # Errors
/// A setting can't be used, or a port can't be bound. PostgreSQL and Redis may be away.
pub async fn run(mut settings: ServeSettings) -> anyhow::Result<Shutdown> {
    let bounds = settings.deployment.bounds()?;
    settings.server.shutdown_notice = Duration::from_secs(bounds.shutdown_notice_secs);
    settings.database.statement_secs = bounds.statement_secs;
    let (store, clock) = (store(&settings)?, Clock::system());
    let link = Link::open(settings.redis.clone(), ProcessId::new(clock.now()))?;
    let counter = link.clone();
    let limiter = Limiter::new(settings.rates.limits(), move |charges| {
        let link = counter.clone();
        async move { link.count(&charges).await }
    });
    let (schema, redis) = (store.clone(), link.clone());
    let readiness = Readiness::new()
        .required("postgresql", move || {
            let store = schema.clone();
            async move { store.check_schema().await }
        })
        .optional("redis", move || {
            let link = redis.clone();
            async move { link.check().await }
        });

    let issuers = Arc::new(issuers(&settings.credentials, settings.deployment.environment)?);
    let console = console_client(&settings.credentials, Arc::clone(&issuers));
    let console = ConsolePages::new(settings.data_url.clone(), console);
    let table = pages::mount(routes::table(), settings.data_url.as_str(), console);
    let discovered = issuers.oidc.clone().map(|issuer| tokio::spawn(issuer.discover(clock)));
    let outbound = Outbound::new(&settings.agent.mcp_server_hosts);
    let foreign = ForeignTools::open(store.clone(), outbound)?;
    let client_tools = ClientTools::new(table.operations());
    let tools = Executor::new(Catalog::new(table.operations()), foreign, link.clone());
    let check_interval = Duration::from_secs(bounds.event_check_secs);
    let limits = StreamLimits { per_user: bounds.streams_per_user, check_interval };
    let streams = Streams::start(store.clone(), clock, readiness.stopping(), limits);
    let (events, changes) = (EventStreams::start(store.clone()), ChangeFeed::start(store.clone()));
    let (session_events, change_events) = (events.clone(), changes.clone());
    link.on_events(move |announced| match announced {
        Announcement::Session(session) => session_events.wake(session),
        Announcement::Changes => change_events.wake(),
    });
    link.announce_changes(store.change_events_written());
    let (jobs, queue) = JobClient::new(store.clone(), link.clone());
    let (mailer, mails) =
        Mailer::new(&settings.mail, bounds.daily_mails, settings.server.public_url.as_deref())?;
    let parts = Parts {
        store,
        link,
        clock,
        bounds,
        issuers,
        jobs,
        streams,
        events,
        changes,
        mails,
        tools,
        client_tools,
    };
    let app = app(&settings, parts)?;

    let jobs = JobHost::start(&app, queue, settings.executions.executions_at_once)?;
    let (maintained, interval) = (app.clone(), Duration::from_secs(bounds.maintenance_secs));
    // A connection to the database stays on the thread that opened it.
    let thread = LocalPoolHandle::new(1);
    let App { store, link, .. } = app.clone();
    thread.spawn_pinned(move || async move { link.seal_from(async || store.message_key().await).await });
    let audited = app.store.clone();
    let (has_served, served) = oneshot::channel::<()>();
    let journal = thread.spawn_pinned(move || async move {
        audited.keep_audit_log(async { drop(served.await) }).await;
    });
    let maintenance = thread.spawn_pinned(move || maintenance::run(maintained, interval));
    let (imported, wake) = (app.store.clone(), Arc::clone(&app.imports));
    thread.spawn_pinned(move || importer::run(imported, clock, wake));
    let indexed = app.store.clone();
    thread.spawn_pinned(move || text_indexer::run(indexed));
    if let Some(mailer) = mailer {
        let store = app.store.clone();
        thread.spawn_pinned(move || mailer.run(store, clock));
    }
    let link = app.link.clone();
    let service = Service { table, app, clock, limiter, readiness, metrics: Metrics::install()? };
    let stopped = wire::serve(&settings.server, service).await?;
    maintenance.abort();
    discovered.inspect(tokio::task::JoinHandle::abort);
    if stopped == Shutdown::Graceful {
        jobs.shutdown().await;
        drop(has_served);
        journal.await?;
        link.leave().await;
    }
    Ok(stopped)
}

/// Brings the schema up to date and says what it did.
///
/// # Errors
/// The database can't be reached, or a migration fails.
pub async fn migrate(config: &DatabaseConfig) -> anyhow::Result<()> {
    let applied = Store::open(config)?.migrate().await?;
    match applied.as_slice() {
        [] => println!("the schema is up to date"),
        versions => println!("applied {}", versions.join(", ")),
    }
    Ok(())
}

/// The database, with the key that seals what it must not show.
fn store(settings: &ServeSettings) -> anyhow::Result<Store> {
    let mut store = Store::open(&settings.database)?;
    if let Some(Host::Domain(host)) = public_url(settings).as_ref().and_then(Url::host) {
        store = store.of_host(host);
    }
    let Some(file) = &settings.credentials.secrets_key_file else { return Ok(store) };
    let key = SealingKey::parse(&read(file)?).with_context(|| format!("reading {}", file.display()))?;
    Ok(store.sealing_with(key))
}

/// The parts of the state that have tasks of their own, or share the routes.
struct Parts {
    store: Store,
    link: Link,
    clock: Clock,
    bounds: Bounds,
    issuers: Arc<Issuers>,
    jobs: JobClient,
    streams: Streams,
    events: EventStreams,
    changes: ChangeFeed,
    mails: Mails,
    tools: Executor<App>,
    client_tools: ClientTools<App>,
}

fn app(settings: &ServeSettings, parts: Parts) -> anyhow::Result<App> {
    let Parts {
        store,
        link,
        clock,
        bounds,
        issuers,
        jobs,
        streams,
        events,
        changes,
        mails,
        tools,
        client_tools,
    } = parts;
    let agent = &settings.agent;
    let key = read(&settings.credentials.grant_key_file)?;
    let reading = || format!("reading {}", settings.credentials.grant_key_file.display());
    let signer = GrantSigner::from_pem(&key).with_context(reading)?;
    let verifier = signer.verifier().with_context(reading)?;
    Ok(App {
        store,
        link,
        clock,
        jobs,
        models: models(agent, Duration::from_secs(bounds.model_silence_secs))?,
        max_runs: agent.runs,
        streams,
        events,
        changes,
        packs: Packs::default(),
        kept: KeptAnswers::new(),
        cursors: CursorKey::new(cursor_key(&key)),
        issuers,
        sign_up: settings.credentials.sign_up.clone(),
        grants: Arc::new(Grants { signer, verifier, data_url: settings.data_url.clone() }),
        engine: Arc::new(settings.executions.engine(Duration::from_secs(bounds.execution_secs), WORKER)),
        tools,
        client_tools,
        mails,
        imports: Arc::default(),
        files: FileReader::new()?,
        origins: origins(settings),
        project_limit: settings.project_limit,
        bounds,
        audit_days: settings.audit_days,
    })
}

/// The plane's own address, as clients see it.
fn public_url(settings: &ServeSettings) -> Option<Url> {
    settings.server.public_url.as_deref().and_then(|url| Url::parse(url).ok())
}

/// The origins of pages that may use tools for their users: the plane's own, and those that the deployment allows.
fn origins(settings: &ServeSettings) -> Arc<[AllowedOrigin]> {
    let own = public_url(settings).map(|url| AllowedOrigin::One(url.origin().ascii_serialization()));
    own.into_iter().chain(settings.server.allowed_origins.iter().cloned()).collect()
}

/// The models of the deployment's file; none without a file.
fn models(settings: &AgentSettings, silence: Duration) -> anyhow::Result<Models> {
    let Some(file) = &settings.models_file else { return Ok(Models::default()) };
    Models::parse(&read(file)?, silence).with_context(|| format!("reading the models of {}", file.display()))
}

/// A key for cursors that every replica derives alike, from the one secret that they share.
fn cursor_key(grant_key_pem: &str) -> [u8; 32] {
    Sha256::new().chain_update(b"atelier cursors\0").chain_update(grant_key_pem).finalize().into()
}

fn issuers(settings: &CredentialSettings, environment: Environment) -> anyhow::Result<Issuers> {
    let oidc = match (&settings.oidc_issuer, &settings.oidc_audience) {
        (Some(issuer), Some(audience)) => {
            Some(OidcIssuer::new(issuer.clone(), audience.clone()).context("reading ATELIER_OIDC_ISSUER")?)
        }
        _ => None,
    };
    let development = settings.development_issuer_key_file.as_deref().map(development_issuer).transpose()?;
    if development.is_some() && environment != Environment::Development {
        bail!("the development issuer is only for ATELIER_ENVIRONMENT=development");
    }
    Ok(Issuers { oidc, development })
}

/// The console as the issuers' client.
fn console_client(settings: &CredentialSettings, issuers: Arc<Issuers>) -> ConsoleClient {
    ConsoleClient { issuers, client_id: settings.oidc_client_id.clone(), scope: settings.oidc_scope.clone() }
}

fn development_issuer(key_file: &Path) -> anyhow::Result<Development> {
    let issuer = DevelopmentIssuer::from_pem(&read(key_file)?);
    let issuer = issuer.with_context(|| format!("reading {}", key_file.display()))?;
    Ok(Development { trusted: issuer.trusted(), issuer })
}

fn read(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))
}
