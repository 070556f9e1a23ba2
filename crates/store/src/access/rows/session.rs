//! The columns of a session's settings.

use database::decode;
use database::prelude::*;
use database::schema::sessions;
use domain::Result;
use domain::work::session::SessionSettings;
use domain::work::usage::MicroCredits;

/// The columns of a session's settings; all null where a join found no session.
#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = sessions)]
pub(crate) struct SessionSettingsRow {
    model: Option<String>,
    toolboxes: Option<Vec<String>>,
    budget_micro_credits: Option<i64>,
    auto_approved: Option<Vec<String>>,
}

impl SessionSettingsRow {
    pub(crate) fn settings(self) -> Result<SessionSettings> {
        let effects = |words: Vec<String>| words.iter().map(|word| decode::text(word)).collect();
        Ok(SessionSettings {
            model: self.model,
            toolboxes: self.toolboxes,
            budget: self.budget_micro_credits.map(MicroCredits),
            auto_approved: self.auto_approved.map(effects).transpose()?,
        })
    }
}
