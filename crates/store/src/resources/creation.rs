//! Creations: each at most once for its idempotency key, whose record is written in the same transaction.

use auth::actor::Needs;
use domain::project::ProjectRef;
use domain::{Code, Error, Result};
use futures_util::future::join;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::access::call::{Call, Outcome};
use crate::access::project::Project;
use crate::access::{Parent, Target};
use crate::db::config::Store;
use crate::db::transaction::Tx;
use crate::resources::idempotency::Claims;

impl Store {
    /// Runs work that creates something and commits it, at most once for the call's idempotency key: the key's
    /// record is written in the same transaction, and a repeat returns the first result (contract, section 4).
    ///
    /// # Errors
    /// As [`Store::mutate`], and `IDEMPOTENCY_IN_PROGRESS`.
    pub async fn create<P, T, R>(
        &self,
        call: &Call<P>,
        target: &T,
        work: impl AsyncFn(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<Outcome<R>>
    where
        P: Needs,
        T: Parent<P>,
        R: Serialize + DeserializeOwned,
    {
        let parent = target.id(call)?;
        self.create_once(call, target, parent, async |_, _| Ok(true), work).await
    }

    /// The same for several calls by one credential, each with a key of its own, in one transaction: all of them or none.
    /// `work` is told which of the calls are to be worked for now, and returns what each of these has made.
    ///
    /// # Errors
    /// As [`Store::create`].
    pub(crate) async fn create_each<P, T, R>(
        &self,
        calls: &[&Call<P>],
        target: &T,
        work: impl AsyncFn(&mut Tx, &T::Witness, &[usize]) -> Result<Vec<R>>,
    ) -> Result<Vec<Outcome<R>>>
    where
        P: Needs,
        T: Parent<P>,
        R: Serialize + DeserializeOwned,
    {
        let Some(first) = calls.first() else { return Ok(Vec::new()) };
        let parent = target.id(first)?;
        self.create_all_once(calls, target, parent, async |_, _| Ok(true), work).await
    }

    /// The same for what is created on a branch: an idempotency key that was used on another one is new here.
    ///
    /// # Errors
    /// As [`Store::create`].
    pub async fn create_on_branch<P, R>(
        &self,
        call: &Call<P>,
        project: &ProjectRef,
        work: impl AsyncFn(&mut Tx, &Project<P>) -> Result<R>,
    ) -> Result<Outcome<R>>
    where
        P: Needs,
        R: Serialize + DeserializeOwned,
    {
        self.retrying(async |tx| {
            let project = tx.resolve(project, call).await?;
            // Which branch it is, if only by its being the default one, is not known before.
            let claims = Claims::of(&[call], project.branch.id);
            let mut earlier = claims.take(tx.pipeline().await?).await?;
            if let Some(value) = earlier.pop().flatten() {
                return Ok(Outcome { value, replayed: true });
            }
            let value = work(tx, &project).await?;
            tx.record(claims.record(&[Some(&value)])?);
            Ok(Outcome { value, replayed: false })
        })
        .await
    }

    /// The same for what may be gone when its key is sent again: it is then created anew. `parent` stands for all that the
    /// route creates under, and `named` is how a request names what was created.
    ///
    /// # Errors
    /// As [`Store::create`].
    pub async fn create_unless_there<P, T, R, N>(
        &self,
        call: &Call<P>,
        target: &T,
        parent: Uuid,
        named: impl Fn(&R) -> N,
        work: impl AsyncFn(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<Outcome<R>>
    where
        P: Needs,
        T: Target<P>,
        R: Serialize + DeserializeOwned,
        N: Target<P>,
    {
        let is_there = async |tx: &mut Tx, value: &R| match tx.resolve(&named(value), call).await {
            Ok(_) => Ok(true),
            Err(error) if error.code == Code::NotFound => Ok(false),
            Err(error) => Err(error),
        };
        self.create_once(call, target, parent, is_there, work).await
    }

    /// `parent` is what the route creates under, and `is_there` says whether what an earlier call has made still counts.
    async fn create_once<P, T, R>(
        &self,
        call: &Call<P>,
        target: &T,
        parent: Uuid,
        is_there: impl AsyncFn(&mut Tx, &R) -> Result<bool>,
        work: impl AsyncFn(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<Outcome<R>>
    where
        P: Needs,
        T: Target<P>,
        R: Serialize + DeserializeOwned,
    {
        let work = async |tx: &mut Tx, witness: &T::Witness, _: &[usize]| Ok(vec![work(tx, witness).await?]);
        let mut created = self.create_all_once(&[call], target, parent, is_there, work).await?;
        created.pop().ok_or_else(|| Error::internal("a creation has no outcome"))
    }

    /// The same for several calls by one credential. `work` is told which of them are still to be worked for.
    async fn create_all_once<P, T, R>(
        &self,
        calls: &[&Call<P>],
        target: &T,
        parent: Uuid,
        is_there: impl AsyncFn(&mut Tx, &R) -> Result<bool>,
        work: impl AsyncFn(&mut Tx, &T::Witness, &[usize]) -> Result<Vec<R>>,
    ) -> Result<Vec<Outcome<R>>>
    where
        P: Needs,
        T: Target<P>,
        R: Serialize + DeserializeOwned,
    {
        let Some(call) = calls.first() else { return Ok(Vec::new()) };
        self.retrying(async |tx| {
            let claims = Claims::of(calls, parent);
            let first = tx.pipelined(async |connection| {
                // The keys are locked before all else. Who waits for one in vain learns that, and not that the rest has failed.
                let (earlier, witness) =
                    join(claims.take(connection), target.resolve(connection, call)).await;
                Ok((earlier?, witness?))
            });
            let (mut earlier, witness) = first.await?;
            for (position, value) in earlier.iter_mut().enumerate() {
                if let Some(made) = value
                    && !is_there(tx, made).await?
                {
                    claims.forget(tx, position).await?;
                    *value = None;
                }
            }
            let missing = |(position, value): (usize, &Option<R>)| value.is_none().then_some(position);
            let open: Vec<usize> = earlier.iter().enumerate().filter_map(missing).collect();
            let made = if open.is_empty() { Vec::new() } else { work(tx, &witness, &open).await? };
            let mut made = made.into_iter();
            let outcomes = earlier.into_iter().map(|value| match value {
                Some(value) => Some(Outcome { value, replayed: true }),
                None => made.next().map(|value| Outcome { value, replayed: false }),
            });
            let outcomes: Option<Vec<Outcome<R>>> = outcomes.collect();
            let outcomes = outcomes.ok_or_else(|| Error::internal("a creation has no outcome"))?;
            let new: Vec<Option<&R>> =
                outcomes.iter().map(|one| (!one.replayed).then_some(&one.value)).collect();
            tx.record(claims.record(&new)?);
            Ok(outcomes)
        })
        .await
    }
}
