//! Cards of a project, with their comments, assignees, tags and links.

pub mod assign;
pub mod attachments;
pub mod bulk;
pub mod checklist;
pub mod comments;
pub mod commits;
pub mod create;
pub mod delete;
pub mod export;
pub mod get;
pub mod link;
pub mod list;
pub mod related;
pub mod search;
mod sort;
pub mod tag;
pub mod unassign;
pub mod unlink;
pub mod untag;
pub mod update;

use wire::{Endpoint, endpoint};

use crate::app::App;
use crate::routes::planning::history;

/// The endpoints of cards.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(search::handle),
        endpoint(list::handle),
        endpoint(export::handle),
        endpoint(create::handle),
        endpoint(bulk::handle),
        endpoint(get::handle),
        endpoint(update::handle),
        endpoint(delete::handle),
        endpoint(history::of_card::handle),
        endpoint(comments::list::handle),
        endpoint(comments::create::handle),
        endpoint(comments::update::handle),
        endpoint(comments::delete::handle),
        endpoint(assign::handle),
        endpoint(unassign::handle),
        endpoint(tag::handle),
        endpoint(untag::handle),
        endpoint(link::handle),
        endpoint(unlink::handle),
        endpoint(commits::handle),
        endpoint(related::list::handle),
        endpoint(related::add::handle),
        endpoint(related::remove::handle),
        endpoint(checklist::list::handle),
        endpoint(checklist::add::handle),
        endpoint(checklist::update::handle),
        endpoint(checklist::delete::handle),
        endpoint(attachments::list::handle),
        endpoint(attachments::delete::handle),
        endpoint(attachments::grant::handle),
    ]
}
