//! List the caller's projects.

use api::projects::ListProjectsQuery;
use client::Client;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::failure::{CommandResult, Exit};
use crate::output;

/// Prints projects, newest first, as they arrive with `--json`.
pub(crate) async fn run(client: &Client, q: Option<String>, global: &Global) -> CommandResult<Exit> {
    let query = ListProjectsQuery { owner_id: None, q, limit: None, cursor: None };
    let mut projects = client.list_projects().query(&query).rows();
    let mut rows = Vec::new();
    while let Some(project) = projects.try_next().await? {
        if global.json {
            output::json(&project);
            continue;
        }
        let visibility = serde_json::to_value(project.visibility).unwrap_or_default();
        rows.push([
            format!("{}/{}", project.owner_slug, project.project_slug),
            project.name.to_string(),
            visibility.as_str().unwrap_or_default().to_owned(),
            project.updated_at.to_string().chars().take(16).collect::<String>().replace('T', " "),
        ]);
    }
    if !global.json {
        output::print(&output::table(["SLUG", "NAME", "VISIBILITY", "UPDATED (UTC)"], &rows));
    }
    Ok(Exit::Done)
}
