//! Objects of a project's tree.

pub mod batch;
pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod update;
pub mod versions;

use api::content::objects::{ExternalFile, ObjectResponse};
use domain::content::object::Object;
use domain::{Error, Result};
use store::content::objects;
use wire::{ETag, Endpoint, Reply, TaggedReply, endpoint};

use crate::app::App;

/// The endpoints of objects.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(list::handle),
        endpoint(create::handle),
        endpoint(batch::handle),
        endpoint(get::handle),
        endpoint(update::handle),
        endpoint(versions::handle),
        endpoint(delete::handle),
    ]
}

/// An object with its `ETag`.
fn tagged(object: Object, external: Option<ExternalFile>) -> Result<TaggedReply<ObjectResponse>> {
    let etag = etag(&object)?;
    Ok(Reply::ok(ObjectResponse { object, external }).etag(etag))
}

fn etag(object: &Object) -> Result<ETag> {
    Ok(ETag::strong(&objects::etag(object)?))
}

/// The object that an edit has returned.
fn only(edited: objects::EditResult) -> Result<Object> {
    let object = edited.objects.into_iter().next().flatten();
    object.ok_or_else(|| Error::internal("an edit did not answer its object"))
}
