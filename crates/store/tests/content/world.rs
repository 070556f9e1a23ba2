//! A database with a user in it, and what the user does.

use std::sync::atomic::{AtomicU64, Ordering};

use auth::actor::{
    Actor, ActorCredential, ActorGrant, GrantedSession, ProjectRead, ProjectWrite, Purpose, Requirement,
};
use auth::api_key::{ApiKey, Mode};
use auth::grant::GrantTerms;
use domain::Result;
use domain::content::object::{FILE_TYPE, FileRef, Object, ObjectKind, Sha256Hash, Tree, UncommittedChanges};
use domain::content::project::{BranchName, ProjectRef, Visibility};
use domain::content::upload::{Attached, Attachment, FileName, NewFile};
use domain::id::{ApiKeyId, ObjectId, ProjectId, SessionId, UploadId, UserId};
use domain::people::permission::{Permissions, Scope};
use domain::text::{Description, Name};
use domain::time::Timestamp;
use domain::work::session::{ConnectionId, SessionSettings};
use serde_json::Map;
use store::StoredFile;
use store::content::projects::{self, NewProject};
use store::content::tree::{self, TreeFilter};
use store::content::uploads::FinishedUpload;
use store::content::{changes, files};
use store::people::api_keys::NewApiKey;
use store::work::sessions;
use store::{Call, CallContext, DatabaseConfig, Me, Owner, Project, SessionRef, Store, Tx};
use testkit::database::Database;

/// Distinguishes the rows that a test creates.
static NEXT: AtomicU64 = AtomicU64::new(1);

pub(crate) struct World {
    pub(crate) database: Database,
    pub(crate) store: Store,
    pub(crate) user: UserId,
}

/// A session as a data plane sees it.
#[derive(Clone)]
pub(crate) struct Upload {
    pub(crate) project: ProjectRef,
    pub(crate) session: SessionId,
    pub(crate) key: Option<ApiKeyId>,
}

impl World {
    pub(crate) async fn new() -> Self {
        let database = Database::create().await;
        let config = DatabaseConfig {
            url: database.url(),
            max_connections: 8,
            statement_secs: DatabaseConfig::STATEMENT_SECS,
        };
        let store = Store::open(&config).unwrap();
        let user = store.create_user("ada@example.com", &name("Ada Löwe"), now()).await.unwrap();
        Self { database, store, user }
    }

    pub(crate) async fn project(&self) -> ProjectRef {
        self.create_project(false).await
    }

    pub(crate) async fn project_without_commit(&self) -> ProjectRef {
        self.create_project(true).await
    }

    async fn create_project(&self, skip_initial_commit: bool) -> ProjectRef {
        let new = NewProject {
            key: None,
            name: name("Gearbox"),
            description: Description::default(),
            visibility: Visibility::Private,
            initial_prompt: None,
            skip_initial_commit,
        };
        let call = self.call::<ProjectWrite>();
        let created = self
            .store
            .create(&call, &Me, async |tx, me| {
                let owner = Owner::resolve(tx, &call, me, None).await?;
                projects::create(tx, &owner, &call, &new, 100).await
            })
            .await
            .unwrap();
        ProjectRef { project: created.value.record.id, branch: None }
    }

    pub(crate) async fn session(&self, project: &ProjectRef) -> Upload {
        let call = self.call::<ProjectWrite>();
        let create = async |tx: &mut Tx, project: &Project<ProjectWrite>| {
            Ok(sessions::create(tx, project, &call, SessionSettings::default(), 1000).await?.record)
        };
        let record = self.store.create(&call, project, create).await.unwrap().value;
        Upload { project: project.clone(), session: record.id, key: None }
    }

    pub(crate) async fn close(&self, upload: &Upload) -> Result<bool> {
        let call = self.call::<ProjectWrite>();
        let target = SessionRef { project: upload.project.clone(), session: upload.session };
        self.store.mutate(&call, &target, async |tx, session| sessions::close(tx, session, &call).await).await
    }

    pub(crate) async fn tree(&self, project: &ProjectRef) -> Result<Tree> {
        let call = self.call::<ProjectRead>();
        let whole = TreeFilter::default();
        let read = async |tx: &mut _, project: &_| tree::get(tx, project, &whole).await;
        // Boxed: a test holds all of its futures on its stack.
        Ok((*Box::pin(self.store.read(&call, project, read)).await?).clone())
    }

    pub(crate) async fn etag(&self, project: &ProjectRef) -> String {
        let call = self.call::<ProjectRead>();
        self.store.read(&call, project, async |_, project| Ok(tree::etag(project))).await.unwrap()
    }

    pub(crate) async fn changes(&self, project: &ProjectRef) -> UncommittedChanges {
        let call = self.call::<ProjectRead>();
        self.store.read(&call, project, async |tx, project| changes::get(tx, project).await).await.unwrap()
    }

    pub(crate) async fn file(&self, project: &ProjectRef, file_name: &str) -> Option<StoredFile> {
        let call = self.call::<ProjectRead>();
        let file_name: FileName = file_name.parse().unwrap();
        let find = async |tx: &mut Tx, project: &Project<ProjectRead>| {
            files::find(tx, project, &file_name, None).await
        };
        self.store.read(&call, project, find).await.unwrap()
    }

    /// A key of the user's.
    pub(crate) async fn key(&self) -> ApiKeyId {
        let new = NewApiKey {
            mode: Mode::Test,
            name: name("key"),
            scopes: vec![Scope::ProjectsWrite],
            expires_at: now().plus_seconds(3600),
            confinement: None,
            created_by: None,
        };
        self.store.issue_api_key(self.user, &new, &ApiKey::generate(new.mode), now()).await.unwrap()
    }

    /// The upload as the data plane attaches it.
    pub(crate) fn finished(&self, upload: &Upload, attachment: &Attachment) -> FinishedUpload {
        let bound_to = grant_of(upload);
        let terms = GrantTerms { user: self.user, permissions: Permissions::all(), bound_to };
        FinishedUpload { terms, attachment: attachment.clone(), request_id: "test".to_owned() }
    }

    /// Attaches, as a host does.
    pub(crate) async fn attach(&self, upload: &Upload, attachment: &Attachment) -> Result<Attached> {
        Ok(self.store.attach(&[&self.finished(upload, attachment)], now()).await?.remove(0))
    }

    pub(crate) fn call<P: Requirement>(&self) -> Call<P> {
        self.call_as(ActorCredential::Job)
    }

    fn call_as<P: Requirement>(&self, credential: ActorCredential) -> Call<P> {
        let actor = Actor {
            user: self.user,
            credential,
            ceiling: Permissions::all(),
            confinement: None,
            acting_in: None,
        };
        let context =
            CallContext { now: now(), request_id: "test".to_owned(), idempotency: None, trail: None };
        Call::authorise(actor, context).unwrap()
    }

    /// Runs a statement, in which ids are written out.
    pub(crate) async fn sql(&self, statement: &str) -> u64 {
        self.database.connect().await.execute(statement, &[]).await.unwrap()
    }
}

/// An upload of one file of which no other test has the bytes.
pub(crate) fn attachment(parent: ObjectId) -> Attachment {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut sha256 = [0; 32];
    sha256[..8].copy_from_slice(&number.to_be_bytes());
    attachment_of(parent, Sha256Hash(sha256))
}

fn grant_of(upload: &Upload) -> ActorGrant {
    ActorGrant {
        key: upload.key,
        project: upload.project.project,
        purpose: Purpose::Session(GrantedSession {
            branch: BranchName::main(),
            session: upload.session,
            connection: ConnectionId::of_session(upload.session),
        }),
    }
}

/// An upload of one file with these bytes.
pub(crate) fn attachment_of(parent: ObjectId, sha256: Sha256Hash) -> Attachment {
    let upload = UploadId::new(now());
    let file = FileRef {
        sha256,
        size: 7,
        mime_type: "model/step".to_owned(),
        extension: domain::content::object::Extension::of_file_name("gear.step"),
        name: Some(name("gear.step")),
    };
    let object = Object {
        id: ObjectId::new(now()),
        name: name("gear.step"),
        object_type: FILE_TYPE.to_owned(),
        parent,
        kind: Some(ObjectKind::Reference),
        file: Some(file),
        include: None,
        data: Map::new(),
    };
    let file = NewFile { sha256, size: 7, blob_key: format!("blobs/{upload}") };
    Attachment { upload, parent, owner: None, objects: vec![object], files: vec![file], replaces: None }
}

/// The object of this name.
pub(crate) fn id_of(tree: &Tree, name: &str) -> ObjectId {
    tree.tree.iter().find(|node| node.name.as_str() == name).unwrap().id
}

/// A tree as text: a line for each node, indented by its depth.
pub(crate) fn show(tree: &Tree, project: ProjectId) -> String {
    let mut depths = std::collections::HashMap::from([(ObjectId::from(project), 0)]);
    let mut lines = vec![format!("{} objects", tree.object_count)];
    for node in &tree.tree {
        let depth = depths[&node.parent];
        depths.insert(node.id, depth + 1);
        lines.push(format!(
            "{}{} ({}, {} children)",
            "  ".repeat(depth),
            node.name,
            node.object_type,
            node.children_count
        ));
    }
    lines.join("\n")
}

pub(crate) fn name(text: &str) -> Name {
    Name::sanitize(text).unwrap()
}

pub(crate) fn now() -> Timestamp {
    Timestamp::parse("2026-11-20T12:00:00Z").unwrap()
}
