//! Authenticates the credentials of the control plane: API keys, browser tokens and the grants of executions.

use auth::actor::{Actor, ActorCredential};
use auth::api_key::ApiKey;
use auth::browser_token::Identity;
use auth::browser_token::development::DEVELOPMENT_ISSUER;
use auth::credential::{Credential, CredentialKind};
use domain::id::UserId;
use domain::people::permission::Permissions;
use domain::time::Timestamp;
use domain::{Error, Result};
use store::AuditJournal;
use store::people::identity::sign_up::Newcomer;
use wire::Authenticate;

use crate::app::App;

impl Authenticate for App {
    const ACCEPTS: &'static [CredentialKind] = &[CredentialKind::ApiKey, CredentialKind::BrowserToken];

    async fn authenticate(&self, credential: &Credential, now: Timestamp) -> Result<Actor> {
        match credential.kind() {
            CredentialKind::ApiKey => {
                let key = ApiKey::parse(credential.reveal())?;
                self.store.find_actor_by_key(&key.hash(), now).await?.ok_or_else(Error::unauthenticated)
            }
            CredentialKind::BrowserToken => {
                let identity = self.issuers.identify(credential.reveal(), now).await?;
                let user = self.user_of(&identity, now).await?.ok_or_else(Error::unauthenticated)?;
                Ok(Actor {
                    user,
                    credential: ActorCredential::Browser(identity.token),
                    ceiling: Permissions::all(),
                    confinement: None,
                    acting_in: None,
                })
            }
            // Only operations for executions accept grants.
            CredentialKind::Grant => {
                let grant = self.grants.verifier.verify(credential.reveal(), now)?;
                self.store.check_grant(grant.terms.user, &grant.terms.bound_to).await?;
                Ok(Actor::from(grant.terms))
            }
        }
    }

    fn journal(&self) -> &AuditJournal {
        self.store.journal()
    }
}

impl App {
    /// The user of an identity. A person who signs in for the first time may get an account.
    async fn user_of(&self, identity: &Identity, now: Timestamp) -> Result<Option<UserId>> {
        // Some of the development issuer's subjects are users' ids.
        if identity.issuer == DEVELOPMENT_ISSUER
            && let Ok(user) = identity.subject.parse()
        {
            return self.store.check_browser_token(user, &identity.token).await.map(Some);
        }
        let Identity { issuer, subject, verified_email, name, token } = identity;
        if let Some(user) = self.store.find_user_by_identity(issuer, subject, token).await? {
            return Ok(Some(user));
        }
        match verified_email {
            Some(email) if self.sign_up.admits(email) => {
                let newcomer = Newcomer { issuer, subject, email, name: name.as_ref() };
                self.store.sign_up(&newcomer, now).await
            }
            _ => Ok(None),
        }
    }
}
