//! Complete an active sprint.

use std::borrow::Cow;

use auth::actor::{CardWrite, TeamWrite};
use domain::sprint::SprintRecord;
use domain::sprint::report::SprintReport;
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Call;
use store::cards::relocation::Destination;
use store::sprints::completion::{self, CompletedSprint, IncompleteCards};
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::sprints::{SprintAnswer, SprintPath};

/// Options of the completion; the body is optional.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CompleteSprintRequest")]
pub struct Body {
    /// Target of the unfinished cards: `backlog` (the default), `keep`, or the id of another sprint of the team that
    /// is not completed.
    incomplete_cards_to: Option<String>,
}

/// A completed sprint with its report.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CompleteSprintResponse")]
pub struct Answer {
    /// The sprint.
    sprint: SprintRecord,
    /// The sprint's final report.
    report: SprintReport,
    /// Number of moved cards.
    moved_cards: usize,
}

/// Completes an active sprint and freezes its report. The caller must be able to write each card that moves. With
/// `If-Match` only if the sprint's `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, SprintPath, NoQuery, Option<Json<Body>>>,
) -> Result<Reply<Answer>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let incomplete = request.body.map(|body| body.0).unwrap_or_default().validate(call)?;
    let CompletedSprint { sprint, report, carried } = app
        .store
        .mutate(call, &request.path.target(), async |tx, sprint| {
            wire::check_if_match(expected.as_ref(), &SprintAnswer::of(sprint))?;
            completion::complete(tx, sprint, call, &incomplete).await
        })
        .await?;
    Ok(Reply::ok(Answer { sprint, report, moved_cards: carried }))
}

impl Body {
    fn validate(self, call: &Call<TeamWrite>) -> Result<IncompleteCards> {
        let to = self.incomplete_cards_to.map_or(Cow::Borrowed("backlog"), Cow::Owned);
        let to = match to.as_ref() {
            "keep" => return Ok(IncompleteCards::Keep),
            "backlog" => Destination::Backlog,
            id => {
                let message = "must be `backlog`, `keep` or the id of a sprint";
                let refused = |_| Error::invalid("incompleteCardsTo", Rule::format("sprint-target"), message);
                Destination::Sprint(id.parse().map_err(refused)?)
            }
        };
        Ok(IncompleteCards::Carry(to, Box::new(call.also::<CardWrite>()?)))
    }
}
