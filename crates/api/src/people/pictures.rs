//! Pictures of people.

use domain::content::object::Sha256Hash;
use domain::id::UserId;
use domain::people::picture::PictureRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Json, Raw};
use crate::{operations, tags};

/// The reason for which no operation on pictures is a tool.
const FOR_PAGES: &str = "pictures are for pages that people look at";

operations! {
    tag: tags::ACCOUNT;

    /// Makes an image of up to 1 MiB the caller's picture: the form's part `file`, as PNG, JPEG or WebP. It becomes a
    /// PNG of 256 by 256 pixels without metadata, and replaces the earlier one.
    PutPicture = Put "/api/v2/me/picture" {
        summary: "Set the caller's picture",
        body: Raw,
        answer: PictureResponse,
        effect: Idempotent,
        tool: NotATool("people choose what others see of them"),
    }

    /// Removes the caller's picture, if there is one.
    DeletePicture = Delete "/api/v2/me/picture" {
        summary: "Remove the caller's picture",
        answer: DeletePictureResponse,
        effect: Idempotent,
        tool: NotATool("people choose what others see of them"),
    }

    /// Answers which of up to 100 people have a picture. Those whom the caller doesn't know have none: people know
    /// themselves and, except for guests, the members of their organizations.
    LookUpPictures = Post "/api/v2/pictures/lookup" {
        summary: "Find out who has a picture",
        body: Json<LookUpPicturesRequest>,
        answer: LookUpPicturesResponse,
        effect: Reads,
        tool: NotATool(FOR_PAGES),
    }

    /// Answers the picture of a person whom the caller knows, as PNG. It never changes: clients may keep it.
    GetPicture = Get "/api/v2/pictures/{pictureHash}" {
        summary: "Read a person's picture",
        path: PicturePath,
        answer: Raw,
        effect: Reads,
        tool: NotATool(FOR_PAGES),
    }
}

/// Most people of a request.
pub const PEOPLE_MAX: usize = 100;

/// The caller's picture.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PictureResponse {
    /// The picture.
    pub picture: PictureRef,
}

/// The removed picture.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeletePictureResponse {
    /// True if there was one.
    pub deleted: bool,
}

/// The people whose pictures are wanted.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LookUpPicturesRequest {
    /// The people.
    #[schemars(length(min = 1, max = PEOPLE_MAX))]
    pub user_ids: Vec<UserId>,
}

/// The pictures of those who have one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LookUpPicturesResponse {
    /// The pictures.
    pub pictures: Vec<PictureRef>,
}

/// The path of a picture.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PicturePath {
    /// SHA-256 of the picture.
    pub picture_hash: Sha256Hash,
}
