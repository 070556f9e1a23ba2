//! Projects, objects, cards and files as resources of MCP. Each is read by the operation of the API that answers it,
//! with the rights of the caller.

use agent::mcp::resource_uri::{Part, ResourceUri, SCHEME};
use agent::mcp::{self, RpcFailure};
use api::content::downloads::{CreateDownloadGrant, CreateDownloadGrantResponse};
use api::content::objects::{ListObjectsResponse, ObjectResponse};
use api::content::projects::ListProjectsResponse;
use api::operation::Operation;
use auth::actor::Actor;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::content::object::Object;
use domain::content::project::{ProjectRecord, ProjectRef};
use domain::error::Location;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use wire::Invocation;

use crate::app::App;

/// Largest resource in an answer, in bytes.
const INLINE_MAX_BYTES: u64 = 1024 * 1024;
/// The media type of resources that are no files.
const JSON: &str = "application/json";
/// Media types of texts beside `text/…`.
const TEXTS: [&str; 4] = ["application/json", "application/xml", "application/x-ndjson", "image/svg+xml"];

/// The caller of a request for resources.
pub struct Reader<'a> {
    pub app: &'a App,
    pub actor: &'a Actor,
    pub now: Timestamp,
    pub request_id: &'a str,
}

/// The templates of all resources.
pub fn templates() -> Value {
    let template = |rest: &str, name: &str, description: &str, media_type: Option<&str>| {
        let mut template = json!({
            "uriTemplate": format!("{SCHEME}{{projectId}}{rest}"),
            "name": name,
            "description": description,
        });
        if let (Some(template), Some(media_type)) = (template.as_object_mut(), media_type) {
            template.insert("mimeType".to_owned(), json!(media_type));
        }
        template
    };
    json!({ "resourceTemplates": [
        template("", "project", "The tree of a project's objects; `{projectId}--{branch}` for another branch.", Some(JSON)),
        template("/objects/{objectId}", "object", "An object with its data.", Some(JSON)),
        template("/objects/{objectId}/file", "file", "The file that an object owns.", None),
        template("/cards/{cardId}", "card", "A card with its tags, assignees and links.", Some(JSON)),
    ] })
}

impl Reader<'_> {
    /// A page of the caller's projects; or of the objects of `project`, each followed by its file.
    ///
    /// # Errors
    /// [`RpcFailure`].
    pub async fn list(
        &self,
        project: Option<&ProjectRef>,
        params: &Map<String, Value>,
    ) -> Result<Box<RawValue>, RpcFailure> {
        let mut query = vec![("limit".to_owned(), mcp::PAGE.to_string())];
        if let Some(cursor) = params.get("cursor").and_then(Value::as_str) {
            query.push(("cursor".to_owned(), cursor.to_owned()));
        }
        let (resources, meta) = match project {
            None => {
                let ListProjectsResponse { projects, meta } =
                    parsed(&self.invoke("listProjects", vec![], query).await?)?;
                (projects.iter().map(project_item).collect(), meta)
            }
            Some(project) => {
                let path = vec![("projectId".to_owned(), project.to_string())];
                let ListObjectsResponse { objects, meta, .. } =
                    parsed(&self.invoke("listObjects", path, query).await?)?;
                let items: Vec<Value> =
                    objects.iter().flat_map(|object| object_items(project, object)).collect();
                (items, meta)
            }
        };
        let mut answer = json!({ "resources": resources });
        if let (Some(next), Some(answer)) = (meta.next_cursor, answer.as_object_mut()) {
            answer.insert("nextCursor".to_owned(), Value::String(next));
        }
        mcp::result(&answer)
    }

    /// Reads the resource that the parameters name.
    ///
    /// # Errors
    /// [`RpcFailure`].
    pub async fn read(&self, params: &Map<String, Value>) -> Result<Box<RawValue>, RpcFailure> {
        let uri = params.get("uri").and_then(Value::as_str);
        let uri = uri.ok_or_else(|| RpcFailure::invalid_params("`uri` must be a text"))?;
        let Ok(ResourceUri { project, part }) = uri.parse() else {
            return Err(RpcFailure::no_resource(format!("there is no resource `{uri}`")));
        };
        let id = |name: &str, id: String| (name.to_owned(), id);
        let mut path = vec![id("projectId", project.to_string())];
        let content = match part {
            Part::Tree => self.json(uri, "getTree", path).await?,
            Part::Object(object) => {
                path.push(id("objectId", object.to_string()));
                self.json(uri, "getObject", path).await?
            }
            Part::Card(card) => {
                path.push(id("cardId", card.to_string()));
                self.json(uri, "getCard", path).await?
            }
            Part::File(object) => {
                let of_project = path.clone();
                path.push(id("objectId", object.to_string()));
                let ObjectResponse { object, .. } = parsed(&self.invoke("getObject", path, vec![]).await?)?;
                self.file(uri, &object, of_project).await?
            }
        };
        mcp::result(&json!({ "contents": [content] }))
    }

    /// The answer of an operation as a resource.
    async fn json(
        &self,
        uri: &str,
        operation: &'static str,
        path: Vec<(String, String)>,
    ) -> Result<Value, RpcFailure> {
        let answer = self.invoke(operation, path, vec![]).await?;
        let text = answer.get();
        match u64::try_from(text.len()) {
            Ok(bytes) if bytes <= INLINE_MAX_BYTES => {
                Ok(json!({ "uri": uri, "mimeType": JSON, "text": text }))
            }
            _ => Err(RpcFailure::refused(format!(
                "the resource has {} bytes, more than {INLINE_MAX_BYTES}; use the tool `get_tree` with `root`, `depth` or `q`",
                text.len()
            ))),
        }
    }

    /// A file: as a text or as bytes where it is small, or else its address.
    async fn file(
        &self,
        uri: &str,
        object: &Object,
        of_project: Vec<(String, String)>,
    ) -> Result<Value, RpcFailure> {
        let Some(file) = &object.file else {
            return Err(RpcFailure::no_resource("the object owns no file"));
        };
        let granted = self.invoke("createDownloadGrant", of_project, vec![]).await?;
        let CreateDownloadGrantResponse { download_url, data_plane, .. } = parsed(&granted)?;
        let url = download_url.replace("{fileName}", &format!("{}{}", object.id, file.suffix()));
        if file.size > INLINE_MAX_BYTES {
            // A grant is a credential, which a model's conversation must not hold.
            let note = json!({
                "downloadUrl": url,
                "sizeBytes": file.size,
                "mimeType": file.mime_type,
                "note": format!(
                    "The file is too large to be shown. Download it with a grant as the bearer token; \
                     POST {} issues one.",
                    CreateDownloadGrant::DECLARATION.path
                ),
            });
            return Ok(json!({ "uri": uri, "mimeType": JSON, "text": note.to_string() }));
        }
        let bytes =
            self.app.files.read(&url, data_plane.token.reveal(), INLINE_MAX_BYTES).await.map_err(refused)?;
        let media_type = file.mime_type.as_str();
        let is_text = media_type.starts_with("text/") || TEXTS.contains(&media_type);
        match String::from_utf8(bytes) {
            Ok(text) if is_text => Ok(json!({ "uri": uri, "mimeType": media_type, "text": text })),
            Ok(text) => Ok(blob(uri, media_type, text.as_bytes())),
            Err(error) => Ok(blob(uri, media_type, error.as_bytes())),
        }
    }

    /// The answer of an operation to the caller.
    async fn invoke(
        &self,
        operation: &'static str,
        path: Vec<(String, String)>,
        query: Vec<(String, String)>,
    ) -> Result<Box<RawValue>, RpcFailure> {
        let invocation = Invocation {
            actor: self.actor.clone(),
            path,
            query,
            body: None,
            now: self.now,
            request_id: self.request_id.to_owned(),
            idempotency_key: None,
        };
        let answer = self.app.client_tools.invoke(self.app, operation, invocation).await;
        Ok(answer.map_err(refused)?.value)
    }
}

fn project_item(project: &ProjectRecord) -> Value {
    let ProjectRecord { id, name, owner_slug, project_slug, .. } = project;
    json!({
        "uri": format!("{SCHEME}{id}"),
        "name": name,
        // Projects of several owners may have the same name.
        "title": format!("{name} ({owner_slug}/{project_slug})"),
        "description": "The tree of the project's objects.",
        "mimeType": JSON,
    })
}

/// An object and, if it owns one, its file.
fn object_items(project: &ProjectRef, object: &Object) -> Vec<Value> {
    let project = project.to_string().replace('/', "%2F");
    let uri = format!("{SCHEME}{project}/objects/{}", object.id);
    let of_file = object.file.as_ref().map(|file| {
        json!({
            "uri": format!("{uri}/file"),
            "name": object.name,
            "description": "The file of the object.",
            "mimeType": file.mime_type,
            "size": file.size,
        })
    });
    let of_object = json!({
        "uri": uri,
        "name": object.name,
        "description": format!("An object of the type {}.", object.object_type),
        "mimeType": JSON,
    });
    std::iter::once(of_object).chain(of_file).collect()
}

fn blob(uri: &str, media_type: &str, bytes: &[u8]) -> Value {
    json!({ "uri": uri, "mimeType": media_type, "blob": STANDARD.encode(bytes) })
}

fn parsed<T: DeserializeOwned>(answer: &RawValue) -> Result<T, RpcFailure> {
    serde_json::from_str(answer.get()).map_err(|error| RpcFailure::Service(Error::internal(error)))
}

/// The failure of an operation in the terms of the protocol.
fn refused(error: Error) -> RpcFailure {
    match error.code {
        Code::InternalError | Code::Unavailable => RpcFailure::Service(error),
        Code::NotFound => RpcFailure::no_resource("there is no such resource, or it is hidden"),
        Code::InvalidPagination => RpcFailure::invalid_params("the cursor is of no page"),
        _ => RpcFailure::refused(error.at(Location::Params).to_string()),
    }
}
