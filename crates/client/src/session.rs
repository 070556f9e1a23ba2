//! A session on a branch: the grant of its requests, uploads, events.

use std::sync::Arc;

use api::work::sessions::{
    CloseSession, CreateSession, CreateSessionRequest, FileUrls, GetSession, SessionPath,
};
use domain::content::project::{BranchName, ProjectRef};
use domain::content::upload::ObjectMap;
use domain::id::{ObjectId, OwnerId, SessionId};
use reqwest::header::IF_MATCH;
use reqwest::{Method, RequestBuilder, Response};
use url::Url;

use crate::body::{SentBytes, Sink};
use crate::connection::{Client, failure};
use crate::error::{RequestError, RequestResult};
use crate::file_form::{FileUpload, file_form};
use crate::grant::{CurrentGrant, Grant, GrantSource};
use crate::retry::Repeat;

/// An open session. Cheap to clone; clones share the grant. Its grant is renewed before it ends, and once when it is
/// refused.
#[derive(Clone, Debug)]
pub struct Session(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    client: Client,
    id: SessionId,
    project: ProjectRef,
    branch: BranchName,
    owner: OwnerId,
    urls: FileUrls,
    grant: Arc<CurrentGrant>,
}

/// The target of a form with one file.
#[derive(Clone, Debug)]
pub(crate) struct FormTarget {
    /// The method.
    pub(crate) method: Method,
    /// The address.
    pub(crate) url: Url,
    /// The state that the target must have, as an entity tag.
    pub(crate) if_match: Option<String>,
}

impl Session {
    /// Opens a session on a branch.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn open(client: &Client, project: &ProjectRef) -> RequestResult<Self> {
        Self::open_with(client, project, &CreateSessionRequest::default()).await
    }

    /// Opens a session with options, for example a first prompt.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn open_with(
        client: &Client,
        project: &ProjectRef,
        options: &CreateSessionRequest,
    ) -> RequestResult<Self> {
        let answer = client.call_with(CreateSession, project.clone(), options).send().await?;
        let grant = Grant::of_answer(&answer, &answer.value.data_plane)?;
        let opened = answer.value;
        let at = SessionPath { project_id: opened.project_id.into(), session_id: opened.session_id };
        Ok(Self(Arc::new(Opened {
            client: client.clone(),
            id: opened.session_id,
            project: ProjectRef { project: opened.project_id, branch: Some(opened.branch.clone()) },
            branch: opened.branch,
            owner: opened.owner_id,
            urls: opened.urls,
            grant: Arc::new(CurrentGrant::new(client, GrantSource::Session(at), grant)),
        })))
    }

    /// Goes on with a session that was opened before.
    ///
    /// # Errors
    /// Those of every request; 404 if it was closed or has lapsed.
    pub async fn resume(client: &Client, project: &ProjectRef, id: SessionId) -> RequestResult<Self> {
        let at = SessionPath { project_id: project.project.into(), session_id: id };
        let view = client.call(GetSession, at.clone()).await?.session;
        let source = GrantSource::Session(at);
        let grant = source.issue(client).await?;
        Ok(Self(Arc::new(Opened {
            client: client.clone(),
            id,
            project: ProjectRef { project: view.project_id, branch: Some(view.branch.clone()) },
            branch: view.branch,
            owner: view.owner_id,
            urls: view.urls,
            grant: Arc::new(CurrentGrant::new(client, source, grant)),
        })))
    }

    /// Its id.
    pub fn id(&self) -> SessionId {
        self.0.id
    }

    /// Its project and branch.
    pub fn project(&self) -> &ProjectRef {
        &self.0.project
    }

    /// Its branch.
    pub fn branch(&self) -> &BranchName {
        &self.0.branch
    }

    /// The project's owner.
    pub fn owner(&self) -> OwnerId {
        self.0.owner
    }

    /// The client that opened it.
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// Closes the session, which ends its grants and its uploads in pieces.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn close(&self) -> RequestResult<()> {
        let closed = self
            .0
            .client
            .call(
                CloseSession,
                SessionPath { project_id: self.0.project.project.into(), session_id: self.0.id },
            )
            .await;
        match closed {
            Err(error) if error.is_not_found() => Ok(()),
            closed => closed.map(drop),
        }
    }

    /// Uploads a file below an object, and answers the objects that were made of it. The bytes are streamed in constant
    /// memory. The stored hash is compared with that of the sent bytes.
    ///
    /// # Errors
    /// Those of every request; `File`, `FileChanged`, `Damaged`. Nothing is attached then, except with `Damaged`.
    pub async fn upload<S: Sink>(
        &self,
        parent: ObjectId,
        file: &FileUpload,
        sink: &S,
    ) -> RequestResult<ObjectMap> {
        let url = self.object_url(&self.urls().upload_url, parent)?;
        self.send_form(&FormTarget { method: Method::POST, url, if_match: None }, file, sink).await
    }

    /// Sends a form with one file, and compares the hash of the stored bytes.
    pub(crate) async fn send_form<S: Sink>(
        &self,
        target: &FormTarget,
        file: &FileUpload,
        sink: &S,
    ) -> RequestResult<ObjectMap> {
        let FormTarget { method, url, if_match } = target;
        let key = file.key.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        let sent = SentBytes::default();
        let build = |grant: &Grant| {
            let mut request = file_form(&self.0.client, (method, url), grant, file, (&sent, sink));
            if let Some(tag) = if_match {
                request = request.header(IF_MATCH, tag);
            }
            Ok(request.header("idempotency-key", &key))
        };
        let answered = async {
            let response = self.send(Repeat::Safe, build).await?;
            let body = response.bytes().await.map_err(|error| failure(url, &error))?;
            serde_json::from_slice::<ObjectMap>(&body).map_err(|error| self.0.client.unexpected(&error))
        };
        let answered = answered.await;
        if answered.is_err() {
            sent.take_back(sink);
        }
        let stored = answered?;
        // A replay is answered before its body is read, so that there may be no hash to compare.
        let is_damaged = sent.hash().is_some_and(|hash| !owns(&stored, &hash));
        if is_damaged { Err(RequestError::Damaged { name: file.name.clone() }) } else { Ok(stored) }
    }

    /// Sends a request with a valid grant; with a new one, where the first is refused.
    pub(crate) async fn send(
        &self,
        repeat: Repeat,
        build: impl Fn(&Grant) -> RequestResult<RequestBuilder> + Send + Sync,
    ) -> RequestResult<Response> {
        self.0.grant.send(repeat, build).await
    }

    /// Its grant, which all requests share.
    pub(crate) fn grant(&self) -> &Arc<CurrentGrant> {
        &self.0.grant
    }

    /// The templates of the addresses of operations on files.
    pub(crate) fn urls(&self) -> &FileUrls {
        &self.0.urls
    }

    /// The address of an operation on files: its template names a parent, or the object whose file is replaced.
    pub(crate) fn object_url(&self, template: &str, object: ObjectId) -> RequestResult<Url> {
        let id = object.to_string();
        let url = template.replace("{parentId}", &id).replace("{objectId}", &id);
        url.parse().map_err(|error| self.0.client.unexpected(&error))
    }
}

/// True if one of the objects owns a file with this hash.
fn owns(stored: &ObjectMap, hash: &domain::content::object::Sha256Hash) -> bool {
    stored.object.values().any(|object| object.sha256.as_ref() == Some(hash))
}
