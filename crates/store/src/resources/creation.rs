//! Creation of resources, each at most once for its idempotency key.

use auth::actor::Requirement;
use domain::content::project::ProjectRef;
use domain::{Code, Error, Result};
use futures_util::future::join;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::access::call::{Call, Outcome};
use crate::access::project::Project;
use crate::access::{Parent, Target};
use crate::resources::idempotency::{self, Claim, Records};
use crate::resources::store::{Store, Tx};

impl Store {
    /// Runs `work`, which creates a resource, and commits it, at most once for the call's idempotency key. The key's record
    /// is written in the same transaction, and a repeat returns its outcome.
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
        P: Requirement,
        T: Parent<P>,
        R: Serialize + DeserializeOwned,
    {
        let parent = target.id(call)?;
        self.create_once(call, target, parent, async |_, _| Ok(true), work).await
    }

    /// Creates as [`Store::create`], on a branch: an idempotency key that was used on another branch is new here.
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
        P: Requirement,
        R: Serialize + DeserializeOwned,
    {
        self.creation(call, async |tx| {
            let project = project.resolve(tx, call).await?;
            // The branch is part of the key, and an unnamed one is known only now.
            let claim = Claim::of(call, project.branch.id);
            let mut earlier = idempotency::claim(tx, std::slice::from_ref(&claim)).await?;
            if let Some(outcome) = earlier.pop().flatten() {
                tx.end_read();
                return Ok(outcome);
            }
            let value = work(tx, &project).await?;
            commit_created(tx, claim, value).await
        })
        .await
    }

    /// Creates as [`Store::create`], and creates again if the key's first resource is gone. `parent` is the id that the route
    /// creates under, and `named` is the resource's name in a request.
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
        P: Requirement,
        T: Target<P>,
        R: Serialize + DeserializeOwned,
        N: Target<P>,
    {
        let is_there = async |tx: &mut Tx, value: &R| match named(value).resolve(tx, call).await {
            Ok(_) => Ok(true),
            Err(error) if error.code == Code::NotFound => Ok(false),
            Err(error) => Err(error),
        };
        self.create_once(call, target, parent, is_there, work).await
    }

    /// Creates several resources under one target, as [`Store::create`] each, in one transaction: all of them or none. `work`
    /// creates one for each call, in their order.
    ///
    /// # Errors
    /// As [`Store::create`]; `INTERNAL_ERROR` if only some of the keys have outcomes: the calls must then come alone.
    pub(crate) async fn create_batch<P, T, R>(
        &self,
        calls: &[&Call<P>],
        target: &T,
        work: impl AsyncFn(&mut Tx, &T::Witness) -> Result<Vec<R>>,
    ) -> Result<Vec<Outcome<R>>>
    where
        P: Requirement,
        T: Parent<P>,
        R: Serialize + DeserializeOwned,
    {
        let Some(call) = calls.first() else { return Ok(Vec::new()) };
        let parent = target.id(call)?;
        self.keyed_transaction(async |tx| {
            let claims: Vec<Option<Claim>> = calls.iter().map(|call| Claim::of(call, parent)).collect();
            let (earlier, witness) = claim_and_resolve(tx, &claims, target, call).await?;
            let earlier: Vec<Outcome<R>> = earlier.into_iter().flatten().collect();
            if earlier.len() == calls.len() {
                tx.end_read();
                return Ok(earlier);
            }
            if !earlier.is_empty() {
                return Err(Error::internal("a batch mixes repeats with new calls"));
            }
            let (values, mut records) = (work(tx, &witness).await?, Records::default());
            for (claim, value) in claims.into_iter().zip(&values) {
                records.add(claim, value)?;
            }
            records.write_with_commit(tx).await?;
            Ok(values.into_iter().map(|value| Outcome { value, replayed: false }).collect())
        })
        .await
    }

    /// A transaction that claims the call's key, if it has one.
    async fn creation<P, R>(&self, call: &Call<P>, work: impl AsyncFn(&mut Tx) -> Result<R>) -> Result<R> {
        match call.idempotency {
            Some(_) => self.keyed_transaction(work).await,
            None => self.transaction(work).await,
        }
    }

    /// `parent` is the id that the route creates under. An outcome of an earlier call counts only if it `is_there` still.
    async fn create_once<P, T, R>(
        &self,
        call: &Call<P>,
        target: &T,
        parent: Uuid,
        is_there: impl AsyncFn(&mut Tx, &R) -> Result<bool>,
        work: impl AsyncFn(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<Outcome<R>>
    where
        P: Requirement,
        T: Target<P>,
        R: Serialize + DeserializeOwned,
    {
        self.creation(call, async |tx| {
            let claim = Claim::of(call, parent);
            let (mut earlier, witness) =
                claim_and_resolve(tx, std::slice::from_ref(&claim), target, call).await?;
            if let Some(outcome) = earlier.pop().flatten() {
                if is_there(tx, &outcome.value).await? {
                    tx.end_read();
                    return Ok(outcome);
                }
                if let Some(claim) = &claim {
                    claim.forget(tx).await?;
                }
            }
            let value = work(tx, &witness).await?;
            commit_created(tx, claim, value).await
        })
        .await
    }
}

/// Commits `value` with its record under the call's key, if it has one.
async fn commit_created<R: Serialize>(tx: &mut Tx, claim: Option<Claim>, value: R) -> Result<Outcome<R>> {
    let mut records = Records::default();
    records.add(claim, &value)?;
    records.write_with_commit(tx).await?;
    Ok(Outcome { value, replayed: false })
}

/// Claims keys and resolves `target` in one round trip. If both fail, the error of the keys counts.
///
/// # Errors
/// Those of [`idempotency::claim`] and of resolving `target`.
async fn claim_and_resolve<P: Requirement, T: Target<P>, R: DeserializeOwned>(
    tx: &Tx,
    claims: &[Option<Claim>],
    target: &T,
    call: &Call<P>,
) -> Result<(Vec<Option<Outcome<R>>>, T::Witness)> {
    let (earlier, witness) = join(idempotency::claim(tx, claims), target.resolve(tx, call)).await;
    Ok((earlier?, witness?))
}
