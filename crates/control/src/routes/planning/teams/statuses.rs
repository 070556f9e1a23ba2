//! The status columns of a team's board.

pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod update;

use api::planning::teams::statuses::StatusResponse;
use store::Status;

/// The answer for a locked column.
fn answer<P>(status: &Status<P>) -> StatusResponse {
    StatusResponse { status: status.record.clone() }
}
