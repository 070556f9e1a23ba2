//! Attachment of finished uploads to trees: those of one grant, which wait for their locks, or those of several, which
//! don't.

pub mod state;

use std::collections::{BTreeSet, HashMap};

use auth::actor::{Actor, ActorGrant, ProjectWrite};
use auth::grant::GrantTerms;
use domain::content::file_path::FolderPath;
use domain::content::upload::{Attached, Attachment, ObjectMap};
use domain::id::{ObjectId, UploadId};
use domain::time::Timestamp;
use domain::{Error, Result};

use crate::access::call::{Call, CallContext};
use crate::resources::content::attachments::folders::{self, Folders};
use crate::resources::content::attachments::present::{self, PresentUpload};
use crate::resources::content::attachments::{self, AttachTarget, AttachmentGroup, replacement};
use crate::resources::store::{Store, Tx};

/// A finished upload with the authority for its attachment.
#[derive(Clone, Debug)]
pub struct FinishedUpload {
    /// The terms of the verified grant.
    pub terms: GrantTerms,
    /// The objects and files to attach.
    pub attachment: Attachment,
    /// The id of the request that sent it.
    pub request_id: String,
}

impl Store {
    /// Attaches uploads of one grant to the tree of its session, all of them or none, and each at most once by its id. Waits
    /// for locks. The user's access is checked as of now.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` if the session is closed or the key revoked; `NOT_FOUND` if the project isn't reached any more or
    /// a parent isn't in the tree; `FORBIDDEN`, `INSUFFICIENT_SCOPE`; `BRANCH_CONFLICT` if the branch would hold too much;
    /// `PRECONDITION_FAILED` or `FILE_NOT_REPLACEABLE` if a file can't be replaced; `INTERNAL_ERROR` if their terms differ.
    pub async fn attach(&self, uploads: &[&FinishedUpload], now: Timestamp) -> Result<Vec<Attached>> {
        let group = group(uploads, now)?;
        self.transaction(async |tx| {
            if let [FinishedUpload { attachment, .. }] = uploads
                && let Some(replacement) = &attachment.replaces
            {
                return Ok(vec![replacement::apply(tx, &group, attachment, replacement).await?]);
            }
            attachments::apply(tx, &group).await
        })
        .await
    }

    /// Attaches uploads of several sessions in one transaction that waits for no lock. Those of one grant are attached all or
    /// none. `None` for those that would have to wait or are refused: [`Store::attach`] then waits, or says why.
    ///
    /// # Errors
    /// `UNAVAILABLE`, `INTERNAL_ERROR`: no upload is attached.
    pub async fn try_attach(
        &self,
        uploads: &[&FinishedUpload],
        now: Timestamp,
    ) -> Result<Vec<Option<Attached>>> {
        let mut by_grant: Vec<Vec<&FinishedUpload>> = Vec::new();
        // A replacement has a transaction of its own.
        for upload in uploads.iter().filter(|upload| upload.attachment.replaces.is_none()) {
            let has_same_terms = |group: &&mut Vec<&FinishedUpload>| {
                group.first().is_some_and(|first| first.terms == upload.terms)
            };
            match by_grant.iter_mut().find(has_same_terms) {
                Some(group) => group.push(upload),
                None => by_grant.push(vec![upload]),
            }
        }
        let groups: Vec<AttachmentGroup<'_>> =
            by_grant.iter().filter_map(|uploads| group(uploads, now).ok()).collect();
        let attach = async |tx: &mut Tx| attachments::try_apply_all(tx, &groups).await;
        let attached = match self.transaction(attach).await {
            Ok(attached) => attached,
            // A branch exceeds its limit, which rolls back all uploads.
            Err(error) if !error.is_server_fault() => Vec::new(),
            Err(error) => return Err(error),
        };
        let by_id = |(group, attached): (&AttachmentGroup<'_>, Result<Vec<Attached>>)| {
            let ids: Vec<UploadId> = group.attachments.iter().map(|attachment| attachment.upload).collect();
            ids.into_iter().zip(attached.into_iter().flatten())
        };
        let mut attached: HashMap<UploadId, Attached> = groups.iter().zip(attached).flat_map(by_id).collect();
        Ok(uploads.iter().map(|upload| attached.remove(&upload.attachment.upload)).collect())
    }

    /// The recorded map of an upload that was applied; `None` if it was not, and its target is valid. Attachment checks again.
    ///
    /// # Errors
    /// `NOT_FOUND` if the project is not reachable, has another owner, or does not have the parent in its tree; `FORBIDDEN`;
    /// `PRECONDITION_FAILED`, `FILE_NOT_REPLACEABLE`.
    pub async fn find_applied_upload(
        &self,
        call: &Call<ProjectWrite>,
        place: &AttachTarget<'_>,
        upload: Option<UploadId>,
    ) -> Result<Option<ObjectMap>> {
        attachments::find_applied(&mut self.without_tx().await?, place, call, upload).await
    }

    /// An upload that was applied, and whether its first object is still in its place; `None` as by
    /// [`Store::find_applied_upload`].
    ///
    /// # Errors
    /// As [`Store::find_applied_upload`].
    pub async fn find_present_upload(
        &self,
        call: &Call<ProjectWrite>,
        place: &AttachTarget<'_>,
        upload: UploadId,
    ) -> Result<Option<PresentUpload>> {
        present::find_present(&mut self.without_tx().await?, place, call, upload).await
    }

    /// Finds folders below `parent` on the branch of the grant's session, and makes those that are missing, in one
    /// transaction. A repeat makes nothing new.
    ///
    /// # Errors
    /// As [`Store::attach`].
    pub async fn make_folders(
        &self,
        call: &Call<ProjectWrite>,
        grant: &ActorGrant,
        parent: ObjectId,
        wanted: &BTreeSet<FolderPath>,
    ) -> Result<Folders> {
        let terms =
            GrantTerms { user: call.actor.user, permissions: call.actor.ceiling, bound_to: grant.clone() };
        let group = of_grant(&terms, &call.request_id, Vec::new(), call.now)?;
        self.transaction(async |tx| folders::make(tx, &group, parent, wanted).await).await
    }
}

/// Groups uploads of one grant.
///
/// # Errors
/// `INSUFFICIENT_SCOPE`; `INTERNAL_ERROR` without uploads, with different terms, or without a session.
fn group<'a>(uploads: &[&'a FinishedUpload], now: Timestamp) -> Result<AttachmentGroup<'a>> {
    let first = uploads.first().ok_or_else(|| Error::internal("no uploads are attached"))?;
    if uploads.iter().any(|upload| upload.terms != first.terms) {
        return Err(Error::internal("uploads of different grants are attached together"));
    }
    let attachments = uploads.iter().map(|upload| &upload.attachment).collect();
    of_grant(&first.terms, &first.request_id, attachments, now)
}

/// The group of a grant with these terms.
///
/// # Errors
/// `INSUFFICIENT_SCOPE`; `INTERNAL_ERROR` without a session.
fn of_grant<'a>(
    terms: &'a GrantTerms,
    request_id: &str,
    attachments: Vec<&'a Attachment>,
    now: Timestamp,
) -> Result<AttachmentGroup<'a>> {
    let grant = &terms.bound_to;
    let through =
        grant.session().ok_or_else(|| Error::internal("an upload is attached without a session"))?;
    let context = CallContext { now, request_id: request_id.to_owned(), idempotency: None, trail: None };
    let call = Call::<ProjectWrite>::authorise(Actor::from(terms.clone()), context)?;
    Ok(AttachmentGroup { grant, through, call, attachments })
}
