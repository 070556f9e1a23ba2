//! Merges into a branch, and reverts of commits.

pub mod merge;
pub mod revert;

use api::content::merges::MergeResolution;
use domain::content::commit::{CommitMessage, MESSAGE_MAX_CHARS};
use domain::content::object::CommitHash;
use domain::text::Text;
use domain::{Error, Result};
use store::content::merges::MergeOptions;
use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of merges and reverts.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(revert::handle), endpoint(merge::handle)]
}

/// Options of the request; each is optional.
struct MergeRequestOptions {
    message: Option<Text<MESSAGE_MAX_CHARS>>,
    expected_head: Option<CommitHash>,
    resolutions: Option<Vec<MergeResolution>>,
    dry_run: Option<bool>,
}

impl MergeRequestOptions {
    fn validate(self) -> Result<MergeOptions> {
        let resolutions = self.resolutions.unwrap_or_default().into_iter().enumerate();
        let resolutions = Error::all(resolutions.map(|(index, body)| body.validate(index)));
        let message = self.message.map(|text| CommitMessage::parse("message", text)).transpose();
        let (message, resolutions) = match (message, resolutions) {
            (Ok(message), Ok(resolutions)) => (message, resolutions),
            (Err(message), Err(resolutions)) => return Err(message.and(resolutions)),
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        Ok(MergeOptions {
            message,
            expected_head: self.expected_head,
            resolutions,
            dry_run: self.dry_run.unwrap_or_default(),
        })
    }
}
