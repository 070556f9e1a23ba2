//! Resources in PostgreSQL, and the decisions on access to them.
//!
//! No other crate may depend on `database`, so none can run a statement. [`Store::read`], [`Store::mutate`] and
//! [`Store::create`] open the transaction, resolve what the request names (absent or hidden: 404; visible without the
//! role: 403), and give the work a witness of that; every function that touches a resource demands its witness.
//! PostgreSQL is the truth of the service.
//!
//! Two layers, the upper of which imports the lower; below both is the crate `database`:
//!
//! | Layer | Holds |
//! |---|---|
//! | `resources` | Reads and changes of each resource. |
//! | `access` | Calls, the resources that requests name, and the decisions on access to them. |

mod access;
mod resources;

pub use access::Target;
pub use access::api_key::OwnApiKey;
pub use access::board_card::{BoardCard, BoardCardRef, BoardCards, BoardCardsRef};
pub use access::call::{Call, CallContext, Idempotency, Outcome};
pub use access::card::{Card, CardRef};
pub use access::card_type::{CardTypeRef, DefinedType};
pub use access::execution::{Execution, ExecutionRef, OwnExecution, OwnExecutionRef};
pub use access::field::{Field, FieldRef};
pub use access::import::{ImportRef, OwnImport, OwnImports, OwnImportsRef};
pub use access::linked_projects::board::{BoardRef, FoundBoard, LastChange};
pub use access::linked_projects::{LinkedTeam, LinkedTeamRef};
pub use access::organization::Organization;
pub use access::organization_export::{OrganizationExport, OrganizationExportRef};
pub use access::owner::Owner;
pub use access::project::{Branch, Project};
pub use access::resumable_upload::{ResumableUploadRef, StartedUpload};
pub use access::saved_view::{KnownView, ViewRef};
pub use access::service_account::{ServiceAccount, ServiceAccountRef};
pub use access::session::{Session, SessionRef};
pub use access::sprint::{Sprint, SprintRef};
pub use access::status::{Status, StatusRef};
pub use access::tag::{Tag, TagRef};
pub use access::team::{Team, TeamRef};
pub use access::team_project::{TeamProject, TeamProjectRef};
pub use access::trail::AuditTrail;
pub use access::user::{Me, User};
pub use database::config::DatabaseConfig;
pub use database::connection::Connection;
pub use resources::leases::{JobId, JobKind, Lease};
pub use resources::store::audit_journal::AuditJournal;
pub use resources::store::{Store, Tx};
pub use resources::stored_files::StoredFile;
pub use resources::{change_events, content, people, planning, work};
