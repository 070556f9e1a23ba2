//! The stable codes of errors. `wire` maps them to HTTP statuses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stable error code. Clients branch on it; it is never renamed.
// docs/api.md, section 2
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// A parameter, query or body breaks a rule; `details.issues` names each.
    InvalidRequest,
    /// A bad `limit` or `cursor`, or a cursor of another filter.
    InvalidPagination,
    /// An empty, overlong or unprintable `Idempotency-Key`.
    InvalidIdempotencyKey,
    /// A data-plane connection id that does not start with `headless-`.
    InvalidConnectionId,
    /// A multipart body that is not one complete part named `file`.
    InvalidUpload,
    /// `If-Match` and `expectedHistoryHeadId` name different history heads.
    HistoryHeadMismatch,
    /// The assignee is not a current member of the card's project.
    AssigneeNotMember,
    /// No credential, or one that is malformed, unknown or revoked.
    Unauthenticated,
    /// The credential is genuine, and its time is over.
    CredentialExpired,
    /// The caller's role on the resource does not allow this.
    Forbidden,
    /// The key's scopes do not allow this operation; `details.requiredScope` names the one that does.
    InsufficientScope,
    /// This kind of credential is not accepted here.
    CredentialNotPermitted,
    /// The owner has reached its limit of projects; `details` has the numbers.
    ProjectLimitReached,
    /// A limit is reached; `details` has the resource and the numbers.
    LimitReached,
    /// Repositories take no pushes, neither of commits nor of files.
    RepositoryReadOnly,
    /// Absent or hidden from the caller; the answers are the same bytes.
    NotFound,
    /// The path exists, but not with this method.
    MethodNotAllowed,
    /// The request body is larger than this operation takes; `details.limitBytes`.
    PayloadTooLarge,
    /// This operation does not take the body's media type.
    UnsupportedMediaType,
    /// Another request with the same idempotency key is still running.
    IdempotencyInProgress,
    /// The expected history head of a card is stale; `details.conflicts` has the current ones.
    CardHistoryConflict,
    /// The project has another tag of this name.
    TagNameTaken,
    /// The project has another type of cards of this name.
    CardTypeNameTaken,
    /// The project has another custom field of this name.
    FieldNameTaken,
    /// Cards have values of the custom field, or objects may have some.
    FieldInUse,
    /// The owner has, or lately had, another project with this key.
    ProjectKeyTaken,
    /// The sprint has started or is completed.
    SprintNotPlanned,
    /// The sprint contains no card.
    SprintEmpty,
    /// Another sprint of the team is active; `details.activeSprintIds` names it.
    SprintAlreadyActive,
    /// The sprint is not active.
    SprintNotActive,
    /// The team has another status column of this name.
    StatusNameTaken,
    /// The organization has another team of this name that the caller can see.
    TeamNameTaken,
    /// The change would leave the organization without an owner.
    LastOwner,
    /// The organization still has projects or teams; `details` has their numbers.
    OrganizationNotEmpty,
    /// The project is linked to teams of its organization; `details.teams` is their number.
    ProjectLinked,
    /// The caller is a member of the organization already.
    AlreadyMember,
    /// The column has reached its WIP limit; `details` has the numbers.
    WipLimitReached,
    /// The neighbours that the request names have moved.
    PositionConflict,
    /// The branch is not in a state that allows this, or the name is taken.
    BranchConflict,
    /// Both sides of a merge changed the same field; `details.conflicts` lists the undecided ones.
    MergeConflict,
    /// The included package leads back to the including project.
    IncludeCycle,
    /// The branch has no uncommitted changes.
    NothingToCommit,
    /// The object is a reserved package, or would duplicate one; `details` names it.
    ReservedObject,
    /// The object owns no file, or an image of a conversion; `details.reason` says which.
    FileNotReplaceable,
    /// Another run of the session is in progress.
    RunInProgress,
    /// The question is answered already, or was superseded; `details.status` says which.
    ApprovalNotPending,
    /// The deployment has no model configured.
    ModelNotConfigured,
    /// The session's budget is spent, or the model's next call, `details.needed`, may cost more than is left.
    CreditsExhausted,
    /// The model was unreachable or gave an unusable answer. Only runs fail with it.
    ModelError,
    /// A run exceeded its limit of steps or time. Only runs fail with it.
    RunLimitReached,
    /// The project has reached its limit of MCP servers.
    McpServerLimitReached,
    /// `If-Match` does not hold, or the client speaks another version of the protocol.
    PreconditionFailed,
    /// The request's offset is not the upload's, `details.offset`.
    UploadOffsetMismatch,
    /// Another request is writing the upload.
    UploadInProgress,
    /// The bytes do not match `Upload-Checksum`; they are discarded.
    ChecksumMismatch,
    /// A rate or concurrency limit is exceeded; `Retry-After` says when to try again.
    RateLimited,
    /// The tool is absent or not the caller's to use; the answers are the same bytes.
    ToolNotFound,
    /// A directly invoked tool refused or failed; `details.content` is its answer.
    ToolError,
    /// A directly invoked tool timed out.
    ToolTimeout,
    /// No engine runs code in this language, `details.language`.
    LanguageNotSupported,
    /// The moment is in the future, or before what is kept of the past; `details.notAfter` or `details.notBefore` is
    /// the bound.
    MomentNotKnown,
    /// The requested byte range lies outside the file.
    RangeNotSatisfiable,
    /// The client's headers or body did not arrive in time.
    RequestTimeout,
    /// A bug or an unexpected failure; `details.requestId` finds it in the logs.
    InternalError,
    /// A dependency is down or too slow. `details.outcome` is `none`, or `unknown` if the change may have been applied.
    Unavailable,
}

impl Code {
    /// Every code, in the order of the documentation.
    pub const ALL: &'static [Self] = &[
        Self::InvalidRequest,
        Self::InvalidPagination,
        Self::InvalidIdempotencyKey,
        Self::InvalidConnectionId,
        Self::InvalidUpload,
        Self::HistoryHeadMismatch,
        Self::AssigneeNotMember,
        Self::Unauthenticated,
        Self::CredentialExpired,
        Self::Forbidden,
        Self::InsufficientScope,
        Self::CredentialNotPermitted,
        Self::ProjectLimitReached,
        Self::LimitReached,
        Self::RepositoryReadOnly,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::IdempotencyInProgress,
        Self::CardHistoryConflict,
        Self::TagNameTaken,
        Self::CardTypeNameTaken,
        Self::FieldNameTaken,
        Self::FieldInUse,
        Self::ProjectKeyTaken,
        Self::SprintNotPlanned,
        Self::SprintEmpty,
        Self::SprintAlreadyActive,
        Self::SprintNotActive,
        Self::StatusNameTaken,
        Self::TeamNameTaken,
        Self::LastOwner,
        Self::OrganizationNotEmpty,
        Self::ProjectLinked,
        Self::AlreadyMember,
        Self::WipLimitReached,
        Self::PositionConflict,
        Self::BranchConflict,
        Self::MergeConflict,
        Self::IncludeCycle,
        Self::NothingToCommit,
        Self::ReservedObject,
        Self::FileNotReplaceable,
        Self::RunInProgress,
        Self::ApprovalNotPending,
        Self::ModelNotConfigured,
        Self::CreditsExhausted,
        Self::ModelError,
        Self::RunLimitReached,
        Self::McpServerLimitReached,
        Self::PreconditionFailed,
        Self::UploadOffsetMismatch,
        Self::UploadInProgress,
        Self::ChecksumMismatch,
        Self::RateLimited,
        Self::ToolNotFound,
        Self::ToolError,
        Self::ToolTimeout,
        Self::LanguageNotSupported,
        Self::MomentNotKnown,
        Self::RangeNotSatisfiable,
        Self::RequestTimeout,
        Self::InternalError,
        Self::Unavailable,
    ];
}
