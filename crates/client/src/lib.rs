//! The client of Atelier's API.
//!
//! [`Client::call`] calls each operation that [`api`] declares. A request is repeated where that is safe, keeps its
//! idempotency key, and obeys the service's rate limits. [`Session`] keeps its grant valid, moves files to and from the
//! data plane, and calls its operations ([`Session::call`]).
//!
//! ```no_run
//! # async fn run() -> client::RequestResult<()> {
//! use client::Client;
//! use client::api::people::me::GetMe;
//! use client::api::content::projects::ListProjects;
//! use futures_util::TryStreamExt;
//!
//! let client = Client::builder("https://atelier.example.org".parse().unwrap()).key("svc_ak_live_…").build()?;
//! let me = client.call(GetMe, ()).await?;
//! println!("signed in as {}", me.user.name);
//!
//! let mut projects = client.call(ListProjects, ()).rows();
//! while let Some(project) = projects.try_next().await? {
//!     println!("{}/{}", project.owner_slug, project.project_slug);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Upload a file, and commit it:
//!
//! ```no_run
//! # async fn run(client: client::Client, project: client::domain::content::project::ProjectRef) -> client::RequestResult<()> {
//! use client::api::content::branches::BranchPath;
//! use client::api::content::commits::{CreateCommit, CreateCommitRequest};
//! use client::domain::text::Text;
//! use client::{FileBody, FileUpload, Session};
//!
//! let session = Session::open(&client, &project).await?;
//! let file = FileUpload { name: "gear.step".into(), body: FileBody::path("gear.step").await?, key: None };
//! let stored = session.upload(project.project.into(), &file, &()).await?;
//! println!("{} objects", stored.object.len());
//!
//! let message = Text::try_from("Add the gear".to_owned()).unwrap();
//! let at = BranchPath { project_id: project.project.into(), branch: session.branch().clone() };
//! client.call_with(CreateCommit, at, &CreateCommitRequest { message }).await?;
//! session.close().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Follow a session's events, over reconnects and without loss:
//!
//! ```no_run
//! # async fn run(session: client::Session) -> client::RequestResult<()> {
//! use futures_util::TryStreamExt;
//!
//! let mut events = session.events(None);
//! while let Some(event) = events.try_next().await? {
//!     println!("{} {}", event.id, event.kind);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Operations take and answer the types of [`api`] and [`domain`], which are exported here for programs that depend on
//! this crate alone.
//!
//! Not here: output for a terminal, and the plan of a folder's upload.

mod address;
mod answer;
mod attachments;
mod bandwidth;
mod body;
mod bulk;
mod call;
mod connection;
mod download;
mod error;
mod events;
mod file_form;
mod grant;
mod imports;
mod pace;
mod page;
mod pictures;
mod piece_body;
mod pieces;
mod replacement;
mod retry;
mod session;
mod tree;

pub use answer::Answer;
pub use api;
pub use attachments::AttachmentUploads;
pub use bandwidth::Bandwidth;
pub use body::{FileBody, FileState, Sink};
pub use bulk::{BatchFile, FileBatch, Once, StoredFile};
pub use call::Call;
pub use connection::{Client, ClientBuilder};
pub use domain;
pub use download::{Downloads, is_part};
pub use error::{ErrorAnswer, RequestError, RequestResult};
pub use events::Event;
pub use file_form::FileUpload;
pub use imports::Export;
pub use page::Page;
pub use pieces::{NewPieces, PIECE_BYTES, Pieces, PiecesAnswer};
pub use replacement::ReplacedObject;
pub use retry::{Repeat, RetryPolicy};
pub use session::Session;

/// The examples of the package's page, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
