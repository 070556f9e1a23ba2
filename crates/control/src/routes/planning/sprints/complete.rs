//! Complete an active sprint.

use std::borrow::Cow;

use api::planning::sprints::{CompleteSprint, CompleteSprintRequest, CompleteSprintResponse};
use auth::actor::{CardWrite, TeamWrite};
use domain::{Error, Result, Rule};
use store::Call;
use store::planning::cards::relocation::Destination;
use store::planning::sprints::completion::{self, CompletedSprint, IncompleteCards};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::sprints::answer;
use crate::routes::target::PathTarget;

/// Completes an active sprint and freezes its report. The caller must be able to write each card that moves. With
/// `If-Match` only if the sprint's `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, CompleteSprint>,
) -> Result<Reply<CompleteSprintResponse>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let incomplete = validate(request.body.map(|body| body.0).unwrap_or_default(), call)?;
    let CompletedSprint { sprint, report, carried } = app
        .store
        .mutate(call, &request.path.target(), async |tx, sprint| {
            wire::check_if_match(expected.as_ref(), &answer(sprint))?;
            completion::complete(tx, sprint, call, &incomplete).await
        })
        .await?;
    Ok(Reply::ok(CompleteSprintResponse { sprint, report, moved_cards: carried }))
}

fn validate(body: CompleteSprintRequest, call: &Call<TeamWrite>) -> Result<IncompleteCards> {
    let to = body.incomplete_cards_to.map_or(Cow::Borrowed("backlog"), Cow::Owned);
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
