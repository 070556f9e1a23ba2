//! The rights of this process in Redis. Without one, some commands fail for ever while others work, so one warning names
//! all that are missing.

use std::sync::Arc;

use domain::{Error, Result};
use redis::{ErrorKind, RedisError, RedisResult, Script, ServerErrorKind, Value};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::connection::CONNECT_TIMEOUT;
use crate::link::{Link, LinkState};

/// A script that does nothing, to try commands of scripts.
const SCRIPT: &str = "return 1";

/// Warns of missing rights as soon as Redis answers.
pub(crate) async fn check(shared: Arc<LinkState>) {
    let mut ticks = interval(shared.config.heartbeat);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if shared.warn_of_missing_rights().await.is_ok() {
            return;
        }
    }
}

impl Link {
    /// Tries every command and channel that this crate uses. Returns those without a right, with Redis's words.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn missing_rights(&self) -> Result<Vec<String>> {
        self.shared.missing_rights().await
    }
}

impl LinkState {
    /// Warns of missing rights, once for all of them.
    pub(crate) async fn warn_of_missing_rights(&self) -> Result<()> {
        let missing = self.missing_rights().await?;
        if !missing.is_empty() {
            let rights = missing.join("; ");
            tracing::warn!(
                redis.rights = rights,
                "rights in Redis are missing; docs/operations.md has the least ones"
            );
        }
        Ok(())
    }

    async fn missing_rights(&self) -> Result<Vec<String>> {
        let key = self.keys.check(self.process);
        let (set, hash, stream) = (format!("{key}:set"), format!("{key}:hash"), format!("{key}:stream"));
        let inbox = self.keys.inbox(self.process);
        let (events, script) = (self.keys.events(), Script::new(SCRIPT));
        let commands: [&[&str]; 18] = [
            &["TIME"],
            &["SET", &set, "1", "PX", "1000"],
            &["SETNX", &set, "1"],
            &["GET", &set],
            &["MGET", &set, &key],
            &["EXISTS", &set],
            &["HSET", &hash, "field", "1"],
            &["HMGET", &hash, "field"],
            &["HEXISTS", &hash, "field"],
            &["HINCRBY", &hash, "field", "1"],
            &["PEXPIRE", &hash, "1000"],
            &["XADD", &stream, "MAXLEN", "~", "1", "*", "field", "1"],
            &["XREAD", "COUNT", "1", "STREAMS", &inbox, "0"],
            &["XDEL", &stream, "0-1"],
            &["DEL", &set, &hash, &stream],
            &["SCRIPT", "LOAD", SCRIPT],
            &["EVALSHA", script.get_hash(), "0"],
            &["PUBLISH", &events, ""],
        ];
        let mut pipeline = redis::pipe();
        for words in commands {
            let (command, arguments) = words.split_first().unwrap_or((&"TIME", &[]));
            pipeline.cmd(command).arg(arguments);
        }
        let answers: Vec<RedisResult<Value>> = self.commands.query(pipeline.ignore_errors()).await?;
        let mut missing: Vec<String> = commands
            .iter()
            .zip(&answers)
            .filter_map(|(words, answer)| {
                let refusal = no_right(answer.as_ref().err()?)?;
                Some(format!("{}: {refusal}", words.first()?))
            })
            .collect();
        if let Some(refusal) = self.no_right_to_subscribe(&events).await? {
            missing.push(format!("SUBSCRIBE: {refusal}"));
        }
        Ok(missing)
    }

    async fn no_right_to_subscribe(&self, channel: &str) -> Result<Option<String>> {
        let subscribed = timeout(CONNECT_TIMEOUT, async {
            self.client.get_async_pubsub().await?.subscribe(channel).await
        });
        match subscribed.await.map_err(Error::unavailable)? {
            Ok(()) => Ok(None),
            Err(error) => match no_right(&error) {
                Some(refusal) => Ok(Some(refusal)),
                None => Err(Error::unavailable(error)),
            },
        }
    }
}

/// Redis's words for a missing right; `None` for any other error.
fn no_right(error: &RedisError) -> Option<String> {
    (error.kind() == ErrorKind::Server(ServerErrorKind::NoPerm))
        .then(|| error.detail().unwrap_or_default().to_owned())
}
