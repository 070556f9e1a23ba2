//! Reports on a project's cards.

pub mod export;
pub mod flow;

use api::planning::reports::FlowReportQuery;
use store::planning::reports::flow::FlowQuery;
use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of reports.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(flow::handle), endpoint(export::handle)]
}

fn choices(query: FlowReportQuery) -> FlowQuery {
    let FlowReportQuery { from, to, team, time_zone } = query;
    FlowQuery { from, to, team, zone: time_zone }
}
