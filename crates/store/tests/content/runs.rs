//! Repeated writes of a run's process after an unclear commit.

use auth::actor::ProjectWrite;
use domain::id::{ProcessId, RunId, UsageEventId};
use domain::work::conversation::{MessagePart, Role};
use domain::work::usage::{MicroCredits, TokenCounts};
use store::SessionRef;
use store::work::runs::work::{AgentRun, InterruptedCall, NewModelAnswer, RunEnd};
use store::work::runs::{self, NewRun};
use store::work::usage::ModelCharge;

use crate::world::{World, now};

/// A run that this process works on.
async fn begun(world: &World) -> AgentRun {
    let project = world.project().await;
    let session = world.session(&project).await;
    let (call, process) = (world.call::<ProjectWrite>(), ProcessId::new(now()));
    let at = SessionRef { project, session: session.session };
    let prompts = vec!["Tell.".to_owned().try_into().unwrap()];
    let new = NewRun { prompts, model: "chat".to_owned(), process, at_most: 10 };
    let start = async |tx: &mut _, session: &_| runs::start(tx, session, &call, &new).await;
    let run: RunId = world.store.mutate(&call, &at, start).await.unwrap().id;
    world.store.begin_run(run, process, now()).await.unwrap().unwrap()
}

fn spent(call: UsageEventId) -> ModelCharge {
    let tokens = TokenCounts { prompt: 200, ..TokenCounts::default() };
    let (provider, model) = ("anthropic".to_owned(), "claude-1".to_owned());
    ModelCharge { call, provider, model, tokens, is_estimated: false, credits: MicroCredits(600) }
}

fn text(text: &str) -> MessagePart {
    MessagePart::Text { text: text.to_owned() }
}

#[tokio::test]
async fn an_answer_whose_commit_was_lost_is_charged_and_stored_once_and_one_that_was_not_stored_once_too() {
    let world = World::new().await;
    for is_stored in [true, false] {
        let run = begun(&world).await;
        let spent = spent(UsageEventId::new(now()));
        if is_stored {
            let parts = [text("Once.")];
            let new =
                NewModelAnswer { parts: &parts, content: None, results: Vec::new(), spent: spent.clone() };
            assert!(world.store.add_answer(&run, new, now()).await.unwrap());
        }
        let cut_off = Some(InterruptedCall { text: "Once.".to_owned(), spent });
        let end = RunEnd { cut_off, ..RunEnd::paused() };
        assert!(world.store.end_run(&run, &end, now()).await.unwrap());
        let of_run = |table: &str| format!("select count(*) from {table} where run_id = '{}'", run.id);
        assert_eq!(world.database.count(&of_run("usage_events")).await, 1);
        assert_eq!(world.database.count(&of_run("session_messages")).await, 2);
    }
}

#[tokio::test]
async fn a_conversation_is_given_with_the_runs_prompt_however_much_followed_and_a_little_of_what_came_before()
{
    let world = World::new().await;
    let run = begun(&world).await;
    let fill = |of_run: &str, from: u32, to: u32| {
        format!(
            "insert into session_messages (session_id, sequence, id, run_id, role, parts, created_at) \
             select '{}', n, gen_random_uuid(), {of_run}, 'tool', '[]', now() from generate_series({from}, {to}) n",
            run.lease.session
        )
    };
    world.sql("update session_messages set sequence = 1001").await;
    world.sql(&fill("null", 1, 1000)).await;
    world.sql(&fill(&format!("'{}'", run.id), 1002, 2500)).await;
    let given = world.store.conversation(&run).await.unwrap().messages;
    assert_eq!((given[0].sequence, given.len()), (801, 1_700));
    assert_eq!((given[200].role, &given[200].parts), (Role::User, &vec![text("Tell.")]));
}
