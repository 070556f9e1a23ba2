//! `control admin`: commands for operators, beyond the API.

mod arguments;
mod batch;

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use auth::api_key::{ApiKey, Mode};
use auth::browser_token::development::{DevelopmentIssuer, DevelopmentSubject};
use auth::signing_key;
use domain::id::{OrganizationId, ProjectId, TeamId};
use domain::people::email::EmailAddress;
use domain::people::role::{OrganizationRole, ProjectRole, TeamRole};
use domain::text::{Name, Slug};
use domain::time::{Clock, Timestamp};
use serde_json::{Value, json};
use store::people::api_keys::NewApiKey;
use store::people::membership::{Group, Membership};
use store::{DatabaseConfig, Store};

pub use arguments::AdminArguments;
use arguments::{
    Action, IdentityAction, KeyAction, KeyIssue, MemberAction, OrganizationAction, SigningKeyAction,
    TokenAction, TokenSubject, UserAction, Where,
};

/// Longest life of an API key, in days (docs/api.md, section 3).
const KEY_MAX_DAYS: i64 = 365;
const SECS_PER_DAY: i64 = 24 * 60 * 60;

/// Runs one command and prints its result.
///
/// # Errors
/// The command was refused, or the database can't be reached.
pub async fn run(arguments: AdminArguments) -> anyhow::Result<()> {
    let mut database = Database { url: arguments.database_url, store: None };
    if let Action::Batch = arguments.action {
        return batch::run(&mut database).await;
    }
    let made = perform(&arguments.action, &mut database).await?;
    if arguments.json {
        println!("{made}");
    } else if let Value::Object(fields) = made {
        for (name, value) in fields {
            println!("{name}: {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
    }
    Ok(())
}

/// The database of commands, which is opened for the first one that needs it.
struct Database {
    url: Option<String>,
    store: Option<Store>,
}

impl Database {
    fn store(&mut self) -> anyhow::Result<&Store> {
        let store = match self.store.take() {
            Some(store) => store,
            None => {
                let url = self.url.clone().context("set ATELIER_DATABASE_URL or --database-url")?;
                let statement_secs = DatabaseConfig::STATEMENT_SECS;
                Store::open(&DatabaseConfig { url, max_connections: 1, statement_secs })?
            }
        };
        Ok(self.store.insert(store))
    }
}

/// Does one command; returns its result.
async fn perform(action: &Action, database: &mut Database) -> anyhow::Result<Value> {
    let now = Clock::system().now();
    Ok(match action {
        Action::SigningKey(SigningKeyAction::Generate { out, name }) => generate_signing_key(out, name)?,
        Action::Token(TokenAction::Issue { subject, lifetime_secs, issuer_key }) => {
            let token =
                development_issuer(issuer_key)?.issue(&development_subject(subject)?, now, *lifetime_secs)?;
            json!({ "token": token.reveal() })
        }
        Action::Token(TokenAction::Ticket { subject, lifetime_secs, issuer_key }) => {
            let ticket = development_issuer(issuer_key)?.issue_ticket(
                &development_subject(subject)?,
                now,
                *lifetime_secs,
            )?;
            json!({ "ticket": ticket.reveal() })
        }
        Action::Batch => bail!("a batch is no command of a batch"),
        action => in_database(database.store()?, action, now).await?,
    })
}

async fn in_database(store: &Store, action: &Action, now: Timestamp) -> anyhow::Result<Value> {
    Ok(match action {
        Action::User(UserAction::Create { email, name }) => {
            let name = Name::parse("name", name)?;
            json!({ "userId": store.create_user(email, &name, now).await? })
        }
        Action::User(UserAction::List { q }) => {
            json!({ "users": store.list_users(q.as_deref()).await? })
        }
        Action::User(UserAction::Rename { user, name }) => {
            json!({ "renamed": store.rename_user(*user, &Name::parse("name", name)?, now).await? })
        }
        Action::User(UserAction::Disable { user }) => {
            json!({ "disabled": store.disable_user(*user, now).await? })
        }
        Action::User(UserAction::Enable { user }) => {
            json!({ "enabled": store.enable_user(*user, now).await? })
        }
        Action::Identity(IdentityAction::Link { user, issuer, subject }) => {
            store.link_identity(*user, issuer, subject, now).await?;
            json!({ "linked": true })
        }
        Action::Org(OrganizationAction::Create { name, slug, owner }) => {
            let (name, slug) = (Name::parse("name", name)?, Slug::parse("slug", slug)?);
            json!({ "orgId": store.create_organization(&name, &slug, *owner, now).await? })
        }
        Action::Org(OrganizationAction::List) => {
            json!({ "organizations": store.list_organizations().await? })
        }
        Action::Org(OrganizationAction::Rename { org, name }) => {
            json!({ "renamed": store.rename_organization(*org, &Name::parse("name", name)?, now).await? })
        }
        Action::Member(MemberAction::List { target }) => {
            json!({ "members": store.list_members(group(target)?).await? })
        }
        Action::Member(MemberAction::Add { user, target, role }) => {
            store.add_member(*user, membership(target, role)?, now).await?;
            json!({ "added": true })
        }
        Action::Member(MemberAction::Remove { user, target }) => {
            json!({ "removed": store.remove_member(*user, group(target)?, now).await? })
        }
        Action::Key(KeyAction::Issue(issue)) => issue_key(store, issue, now).await?,
        Action::Key(KeyAction::List { user }) => json!({ "keys": store.list_api_keys(*user).await? }),
        Action::Key(KeyAction::Revoke { key_id }) => {
            json!({ "revoked": store.revoke_api_key(*key_id, now).await? })
        }
        Action::SigningKey(_) | Action::Token(_) | Action::Batch => bail!("needs no database"),
    })
}

async fn issue_key(store: &Store, issue: &KeyIssue, now: Timestamp) -> anyhow::Result<Value> {
    if !(1..=KEY_MAX_DAYS * SECS_PER_DAY).contains(&issue.expires_in) {
        bail!("--expires-in must be within {KEY_MAX_DAYS} days");
    }
    let mode = if issue.test { Mode::Test } else { Mode::Live };
    let new = NewApiKey {
        mode,
        name: Name::parse("name", &issue.name)?,
        scopes: issue.scopes.clone(),
        expires_at: now.plus_seconds(issue.expires_in),
        confinement: None,
        created_by: None,
    };
    let key = ApiKey::generate(mode);
    let id = store.issue_api_key(issue.user, &new, &key, now).await?;
    Ok(json!({ "keyId": id, "key": key.reveal() }))
}

fn development_issuer(key_file: &Path) -> anyhow::Result<DevelopmentIssuer> {
    let pem = fs::read_to_string(key_file).with_context(|| format!("reading {}", key_file.display()))?;
    Ok(DevelopmentIssuer::from_pem(&pem)?)
}

/// The person whom a token of the development issuer names.
fn development_subject(subject: &TokenSubject) -> anyhow::Result<DevelopmentSubject> {
    match (subject.user, &subject.email) {
        (Some(user), None) => Ok(DevelopmentSubject::User(user)),
        (None, Some(email)) => {
            let email = EmailAddress::parse(email).context("--email is no email address")?;
            Ok(DevelopmentSubject::Person(email))
        }
        _ => bail!("name one of --user and --email"),
    }
}

fn membership(target: &Where, role: &str) -> anyhow::Result<Membership> {
    Ok(match group(target)? {
        Group::Organization(id) => Membership::Organization(id, role.parse::<OrganizationRole>()?),
        Group::Project(id) => Membership::Project(id, role.parse::<ProjectRole>()?),
        Group::Team(id) => Membership::Team(id, role.parse::<TeamRole>()?),
    })
}

fn group(target: &Where) -> anyhow::Result<Group> {
    match (target.org, target.project, target.team) {
        (Some(id), None, None) => Ok(Group::Organization(OrganizationId(id))),
        (None, Some(id), None) => Ok(Group::Project(ProjectId(id))),
        (None, None, Some(id)) => Ok(Group::Team(TeamId(id))),
        _ => bail!("name one of --org, --project and --team"),
    }
}

/// Writes a new Ed25519 key pair. Only the owner can read the private file; existing files are not replaced.
fn generate_signing_key(out: &Path, name: &str) -> anyhow::Result<Value> {
    let pair = signing_key::generate()?;
    fs::create_dir_all(out).with_context(|| format!("making {}", out.display()))?;
    let private = write_new(out.join(format!("{name}-private.pem")), &pair.private, 0o600)?;
    let public = write_new(out.join(format!("{name}-public.pem")), &pair.public, 0o644)?;
    Ok(json!({ "privateKeyFile": private, "publicKeyFile": public }))
}

fn write_new(path: PathBuf, text: &str, mode: u32) -> anyhow::Result<PathBuf> {
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&path)
        .with_context(|| format!("writing {}", path.display()))?;
    file.write_all(text.as_bytes())?;
    Ok(path)
}
