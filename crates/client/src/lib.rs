//! The client of Atelier's API.
//!
//! [`Client`] has a method for each operation. A request is repeated where that is safe, keeps its idempotency key, and
//! obeys the service's rate limits. [`Session`] keeps its grant valid and moves files to and from the data plane.
//!
//! ```no_run
//! # async fn run() -> client::RequestResult<()> {
//! use client::Client;
//! use futures_util::TryStreamExt;
//!
//! let client = Client::builder("https://atelier.example.org".parse().unwrap()).key("svc_ak_live_…").build()?;
//! let me = client.get_me().await?;
//! println!("signed in as {}", me.user.name);
//!
//! let mut projects = client.list_projects().rows();
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
//! # async fn run(client: client::Client, project: client::domain::project::ProjectRef) -> client::RequestResult<()> {
//! use client::{FileBody, FileUpload, Session, api};
//! use client::domain::text::Text;
//!
//! let session = Session::open(&client, &project).await?;
//! let file = FileUpload { name: "gear.step".into(), body: FileBody::path("gear.step").await?, key: None };
//! let stored = session.upload(project.project.into(), &file, &()).await?;
//! println!("{} objects", stored.object.len());
//!
//! let message = Text::try_from("Add the gear".to_owned()).unwrap();
//! let branch = session.branch().clone();
//! client.create_commit(&project.project, &branch, &api::commits::CreateCommitRequest { message }).await?;
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
mod bandwidth;
mod body;
mod bulk;
mod call;
mod connection;
mod download;
mod error;
mod events;
mod grant;
mod operation;
mod operations;
mod pace;
mod page;
mod piece_body;
mod pieces;
mod replacement;
mod retry;
mod session;
mod tree;

pub use api;
pub use bandwidth::Bandwidth;
pub use body::{FileBody, FileState, Sink};
pub use bulk::{BatchFile, FileBatch, Once, StoredFile};
pub use call::{Answer, Call, NoQuery};
pub use connection::{Client, ClientBuilder};
pub use domain;
pub use download::{Downloads, is_part};
pub use error::{ErrorAnswer, RequestError, RequestResult};
pub use events::Event;
pub use operation::{Operation, Plane};
pub use operations::operations;
pub use page::Page;
pub use pieces::{NewPieces, PIECE_BYTES, Pieces};
pub use replacement::ReplacedObject;
pub use retry::{Repeat, RetryPolicy};
pub use session::{FileUpload, Session};

/// The examples of the package's page, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
