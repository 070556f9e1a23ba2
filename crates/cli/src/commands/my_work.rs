//! Show the caller's work: open cards that are assigned to it, those that mention it, and questions of agents.

use api::planning::my_work::{GetMyWork, GetMyWorkResponse};
use client::Client;
use domain::planning::card::{IndexCard, Priority};
use domain::planning::my_work::{MentionedCard, WaitingApproval, WorkItem};

use crate::arguments::Global;
use crate::commands::cards::list::NAME_WIDTH;
use crate::failure::{CommandResult, Exit};
use crate::output;

/// Prints the caller's work.
pub(crate) async fn run(client: &Client, global: &Global) -> CommandResult<Exit> {
    let work = client.call(GetMyWork, ()).await?;
    if global.json {
        output::json(&work);
        return Ok(Exit::Done);
    }
    let GetMyWorkResponse { cards, mentioned, has_more_mentioned, approvals, has_more } = work;
    let rows: Vec<[String; 5]> = cards.iter().map(card_row).collect();
    output::print_table(
        ["KEY", "CARD", "PRIORITY", "DUE", "BECAUSE"],
        &rows,
        "No open card is assigned to you.",
    );
    if has_more {
        output::note("More cards are assigned to you: atelier cards list lists those of a project.");
    }
    if !mentioned.is_empty() {
        let rows: Vec<[String; 3]> = mentioned.iter().map(mention_row).collect();
        output::print_table(["KEY", "MENTIONS YOU", "SINCE (UTC)"], &rows, "");
    }
    if has_more_mentioned {
        output::note("More cards mention you.");
    }
    if !approvals.is_empty() {
        let rows: Vec<[String; 4]> = approvals.iter().map(question_row).collect();
        output::print_table(["SESSION", "ASKS FOR", "REASON", "SINCE (UTC)"], &rows, "");
    }
    Ok(Exit::Done)
}

fn card_row(WorkItem { reasons, card }: &WorkItem) -> [String; 5] {
    let reasons: Vec<String> = reasons.iter().map(output::word).collect();
    [
        key(card),
        output::cut(card.name.as_str(), NAME_WIDTH),
        match card.priority {
            Priority::None => "-".to_owned(),
            priority => priority.to_string(),
        },
        card.deadline.map_or_else(|| "-".to_owned(), output::day),
        if reasons.is_empty() { "-".to_owned() } else { reasons.join(", ") },
    ]
}

fn mention_row(MentionedCard { mentioned_at, card }: &MentionedCard) -> [String; 3] {
    [key(card), output::cut(card.name.as_str(), NAME_WIDTH), output::minute(*mentioned_at)]
}

fn question_row(question: &WaitingApproval) -> [String; 4] {
    let WaitingApproval { session_id, tool, reason, requested_at, .. } = question;
    [session_id.to_string(), tool.clone(), output::word(reason), output::minute(*requested_at)]
}

fn key(card: &IndexCard) -> String {
    card.key.as_ref().map_or_else(|| card.id.to_string(), ToString::to_string)
}
