//! Handlers of planning: cards, tags, boards, teams, sprints, history.

pub(super) mod boards;
pub(super) mod calendars;
pub(super) mod card_names;
pub(super) mod card_tags;
pub(super) mod card_types;
pub(super) mod cards;
pub(super) mod custom_fields;
pub(super) mod history;
pub(super) mod history_head;
pub(super) mod imports;
pub(super) mod my_work;
pub(super) mod organization_export;
pub(super) mod project_export;
pub(super) mod reports;
pub(super) mod saved_views;
pub(super) mod sprints;
pub(super) mod teams;

use wire::Endpoint;

use crate::app::App;

/// These handlers, in the order of a session's tools within a toolbox.
pub(super) fn endpoints() -> Vec<Endpoint<App>> {
    [
        cards::endpoints(),
        my_work::endpoints(),
        card_tags::endpoints(),
        card_types::endpoints(),
        custom_fields::endpoints(),
        saved_views::endpoints(),
        imports::endpoints(),
        organization_export::endpoints(),
        project_export::endpoints(),
        history::endpoints(),
        reports::endpoints(),
        teams::endpoints(),
        boards::endpoints(),
        sprints::endpoints(),
        calendars::endpoints(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
