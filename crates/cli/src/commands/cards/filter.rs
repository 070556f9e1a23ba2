//! Filters of cards on the command line: values by their names, and with `!` in front those that cards must not have.

use api::planning::cards::ListCardsQuery;
use client::Client;
use domain::id::{SprintId, TagId};
use domain::planning::card::{AssigneeTerms, OrNone, TermList, UserTerm, ValueTerms};

use crate::arguments::card_filters::{CardFilterArguments, ListFilterArguments};
use crate::commands::cards::tags;
use crate::failure::{CommandFailure, CommandResult};
use crate::naming::Beginning;
use crate::person::Candidates;
use crate::resource::Project;

/// The sign in front of a value that cards must not have.
const NOT: char = '!';
/// The word for a missing value.
const NONE: &str = "none";
/// The word for the caller.
const ME: &str = "me";

/// The query of a filter of the cards of a project, or of all projects.
pub(crate) async fn query(
    client: &Client,
    project: Option<&Project>,
    arguments: ListFilterArguments,
) -> CommandResult<ListCardsQuery> {
    let ListFilterArguments { cards, tag, parent, team, column, sprint, query } = arguments;
    let found = of_cards(client, project, cards).await?;
    let find_tag = async |text: &str| -> CommandResult<TagId> {
        let project =
            project.ok_or_else(|| CommandFailure::usage("--tag needs a project, to which tags belong"))?;
        let text = [text.to_owned()];
        let tags = tags(client, &project.record.id, &text, Beginning::Taken).await?;
        tags.into_iter().next().ok_or_else(|| CommandFailure::usage("name a tag"))
    };
    let tag = optional(&tag, find_tag).await?;
    let found = ListCardsQuery { tag, parent, q: query, ..found };
    let Some(team) = team else { return Ok(found) };
    let team = team.find(client, Beginning::Taken).await?;
    let find_column = async |text: &str| team.column(client, text, Beginning::Taken).await;
    let status = optional(&column, find_column).await?;
    let find_sprint = async |text: &str| -> CommandResult<SprintId> {
        Ok(team.sprint(client, Some(text), Beginning::Taken).await?.id)
    };
    let sprint = optional(&sprint, find_sprint).await?;
    Ok(ListCardsQuery { team: Some(OrNone(Some(team.record.id)).into()), status, sprint, ..found })
}

/// The query of a filter that needs no project. The people of `project` are known by name, or those of all organizations.
pub(crate) async fn of_cards(
    client: &Client,
    project: Option<&Project>,
    arguments: CardFilterArguments,
) -> CommandResult<ListCardsQuery> {
    let CardFilterArguments { mine, assignee, priority, card_type, due } = arguments;
    let find = async |text: &str| -> CommandResult<UserTerm> {
        if text == ME {
            return Ok(UserTerm::Me);
        }
        let (people, list) = match project {
            Some(project) => {
                let list = format!("atelier projects members {}", project.argument());
                (Candidates::of_project(client, &project.record.id).await?, list)
            }
            None => (Candidates::of_caller(client).await?, "atelier members list ORG".to_owned()),
        };
        Ok(UserTerm::User(people.find(client, text, &list, Beginning::Taken).await?.id))
    };
    let assignee: Option<AssigneeTerms> = match mine {
        true => Some(OrNone(Some(UserTerm::Me)).into()),
        false => optional(&assignee, find).await?,
    };
    Ok(ListCardsQuery { assignee, priority, card_type, due, ..ListCardsQuery::default() })
}

/// The terms that texts name, `none` for the missing value; without a text, no terms.
async fn optional<T, const MAX: usize>(
    texts: &[String],
    find: impl AsyncFn(&str) -> CommandResult<T>,
) -> CommandResult<Option<TermList<OrNone<T>, MAX>>> {
    let mut terms = ValueTerms::default();
    for text in texts {
        let (values, name) = match text.strip_prefix(NOT) {
            Some(name) => (&mut terms.none_of, name),
            None => (&mut terms.any_of, text.as_str()),
        };
        values.push(OrNone(if name == NONE { None } else { Some(find(name).await?) }));
    }
    Ok((!terms.is_empty()).then_some(TermList(terms)))
}
