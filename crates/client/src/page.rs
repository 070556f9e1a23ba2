//! Pages of lists as one stream of rows.

use domain::page::PageMeta;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use serde::de::DeserializeOwned;

use crate::call::Call;
use crate::error::RequestResult;

/// An answer that is a page of a list.
pub trait Page: DeserializeOwned + Clone + Send + 'static {
    /// A row.
    type Row: Send + 'static;

    /// The rows, and the place of the next page.
    fn into_rows(self) -> (Vec<Self::Row>, PageMeta);
}

/// Declares the pages: the answer, the field of its rows, their type.
macro_rules! pages {
    ($($answer:path, $field:ident: $row:path;)+) => {$(
        impl Page for $answer {
            type Row = $row;

            fn into_rows(self) -> (Vec<$row>, PageMeta) {
                (self.$field, self.meta)
            }
        }
    )+};
}

pages! {
    api::branches::ListBranchesResponse, branches: domain::commit::BranchRecord;
    api::commits::ListCommitsResponse, commits: domain::commit::CommitRecord;
    api::objects::ListObjectsResponse, objects: domain::object::Object;
    api::projects::ListProjectsResponse, projects: domain::project::ProjectRecord;
    api::sessions::ListSessionsResponse, sessions: api::sessions::SessionView;
    api::sessions::ListUploadsResponse, uploads: domain::upload::ResumableUpload;
}

impl<A: Page> Call<A> {
    /// The rows of all pages, each page asked for when the rows before it were taken.
    pub fn rows(self) -> BoxStream<'static, RequestResult<A::Row>> {
        let first = self.query(&[("limit", "100")]);
        let pages = stream::try_unfold(Some((first, None::<String>)), async |state| {
            let Some((call, cursor)) = state else { return Ok(None) };
            let asked = match &cursor {
                Some(cursor) => call.clone().query(&[("cursor", cursor)]),
                None => call.clone(),
            };
            let (rows, meta) = asked.send().await?.value.into_rows();
            let next = meta.next_cursor.map(|cursor| (call, Some(cursor)));
            Ok(Some((stream::iter(rows).map(Ok), next)))
        });
        pages.try_flatten().boxed()
    }
}
