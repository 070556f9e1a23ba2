//! Pictures of people: set and removed by the person, and seen by those who know the person.

use auth::actor::BrowserOnly;
use database::prelude::*;
use database::schema::user_pictures;
use diesel::sql_types::{Array, Binary, Uuid as SqlUuid};
use domain::content::object::Sha256Hash;
use domain::id::UserId;
use domain::people::picture::PictureRef;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::user::User;
use crate::resources::audit;
use crate::resources::store::Tx;

/// Makes a PNG the caller's picture, in place of an earlier one.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn set(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    call: &Call<BrowserOnly>,
    png: &[u8],
    sha256: Sha256Hash,
) -> Result<PictureRef> {
    let content = (
        user_pictures::sha256.eq(sha256.0.to_vec()),
        user_pictures::bytes.eq(png),
        user_pictures::created_at.eq(call.now.0),
    );
    diesel::insert_into(user_pictures::table)
        .values((user_pictures::user_id.eq(user.id().0), content.clone()))
        .on_conflict(user_pictures::user_id)
        .do_update()
        .set(content)
        .execute(tx)
        .await?;
    audit::record(tx, call, user.id().0).await?;
    Ok(PictureRef { user_id: user.id(), sha256 })
}

/// Removes the caller's picture; `false` if there was none.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn delete(tx: &mut Tx, user: &User<BrowserOnly>, call: &Call<BrowserOnly>) -> Result<bool> {
    let deleted = diesel::delete(user_pictures::table.find(user.id().0)).execute(tx).await?;
    audit::record(tx, call, user.id().0).await?;
    Ok(deleted == 1)
}

/// The pictures of those of the people whom the caller knows.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, user: &User<BrowserOnly>, people: &[UserId]) -> Result<Vec<PictureRef>> {
    let people: Vec<Uuid> = people.iter().map(|person| person.0).collect();
    let rows: Vec<PictureRow> = Statement::new(include_str!("pictures/list.sql"))
        .bind::<SqlUuid, _>(user.id().0)
        .bind::<Array<SqlUuid>, _>(people)
        .load(tx)
        .await?;
    rows.into_iter().map(PictureRow::picture).collect()
}

/// The bytes of a picture of somebody whom the caller knows.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn read(tx: &mut Tx, user: &User<BrowserOnly>, sha256: Sha256Hash) -> Result<Vec<u8>> {
    let row: Option<PngRow> = Statement::new(include_str!("pictures/read.sql"))
        .bind::<SqlUuid, _>(user.id().0)
        .bind::<Binary, _>(sha256.0.to_vec())
        .get_result(tx)
        .await
        .optional()?;
    row.map(|row| row.bytes).ok_or_else(Error::not_found)
}

#[derive(QueryableByName)]
struct PictureRow {
    #[diesel(sql_type = SqlUuid)]
    user_id: Uuid,
    #[diesel(sql_type = Binary)]
    sha256: Vec<u8>,
}

impl PictureRow {
    fn picture(self) -> Result<PictureRef> {
        let sha256 = self.sha256.try_into().map_err(|_| Error::internal("a hash of another length"))?;
        Ok(PictureRef { user_id: UserId(self.user_id), sha256: Sha256Hash(sha256) })
    }
}

#[derive(QueryableByName)]
struct PngRow {
    #[diesel(sql_type = Binary)]
    bytes: Vec<u8>,
}
