//! The arguments of `control admin`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use domain::id::{ApiKeyId, OrganizationId, UserId};
use domain::people::permission::Scope;
use uuid::Uuid;

/// An operator's command.
#[derive(Args)]
pub struct AdminArguments {
    /// `postgres://` URL of the database.
    #[arg(long, env = "ATELIER_DATABASE_URL", hide_env_values = true, global = true)]
    pub database_url: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// The command.
    #[command(subcommand)]
    pub action: Action,
}

/// The commands, by what they act on.
#[derive(Subcommand)]
pub enum Action {
    /// Users.
    #[command(subcommand)]
    User(UserAction),
    /// Identities of users at an OIDC issuer.
    #[command(subcommand)]
    Identity(IdentityAction),
    /// Organizations.
    #[command(subcommand)]
    Org(OrganizationAction),
    /// Memberships of organizations, projects and teams.
    #[command(subcommand)]
    Member(MemberAction),
    /// API keys.
    #[command(subcommand)]
    Key(KeyAction),
    /// Browser tokens of the development issuer.
    #[command(subcommand)]
    Token(TokenAction),
    /// Key pairs that sign grants and development tokens.
    #[command(subcommand)]
    SigningKey(SigningKeyAction),
    /// Many commands by one process: each line of standard input is a JSON array of the words after `control admin`,
    /// for example ["user", "list"], and is answered by one line, {"made": …} or {"refused": "…"}.
    Batch,
}

/// Commands on users.
#[derive(Subcommand)]
pub enum UserAction {
    /// Create a user.
    Create {
        /// Email address.
        #[arg(long)]
        email: String,
        /// Display name.
        #[arg(long)]
        name: String,
    },
    /// List users, service accounts among them.
    List {
        /// Only those whose name or email address contains this text.
        #[arg(long)]
        q: Option<String>,
    },
    /// Give a user another name.
    Rename {
        /// The user.
        #[arg(long)]
        user: UserId,
        /// Display name.
        #[arg(long)]
        name: String,
    },
    /// End all credentials of a user at once: keys are revoked, sessions closed, browser tokens refused.
    Disable {
        /// The user.
        #[arg(long)]
        user: UserId,
    },
    /// Let a disabled user sign in again. Keys stay revoked.
    Enable {
        /// The user.
        #[arg(long)]
        user: UserId,
    },
}

/// Commands on identities.
#[derive(Subcommand)]
pub enum IdentityAction {
    /// Let an issuer's tokens for a subject act as a user.
    Link {
        /// The user.
        #[arg(long)]
        user: UserId,
        /// The issuer, exactly as its tokens name it in `iss`.
        #[arg(long)]
        issuer: String,
        /// The subject, as its tokens name it in `sub`.
        #[arg(long)]
        subject: String,
    },
}

/// Commands on organizations.
#[derive(Subcommand)]
pub enum OrganizationAction {
    /// Create an organization.
    Create {
        /// Name.
        #[arg(long)]
        name: String,
        /// Its name in URLs: lower-case letters, digits and hyphens.
        #[arg(long)]
        slug: String,
        /// The user who owns it.
        #[arg(long)]
        owner: UserId,
    },
    /// List organizations.
    List,
    /// Give an organization another name. Its name in URLs stays.
    Rename {
        /// The organization.
        #[arg(long)]
        org: OrganizationId,
        /// Name.
        #[arg(long)]
        name: String,
    },
}

/// Commands on memberships.
#[derive(Subcommand)]
pub enum MemberAction {
    /// Make a user a member, or give a member another role.
    Add {
        /// The user.
        #[arg(long)]
        user: UserId,
        #[command(flatten)]
        target: Where,
        /// Project: viewer, editor, manager. Organization: guest, member, admin, owner. Team: member, manager.
        #[arg(long)]
        role: String,
    },
    /// End a membership.
    Remove {
        /// The user.
        #[arg(long)]
        user: UserId,
        #[command(flatten)]
        target: Where,
    },
    /// List the members.
    List {
        #[command(flatten)]
        target: Where,
    },
}

/// The owner of a membership.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct Where {
    /// An organization.
    #[arg(long)]
    pub org: Option<Uuid>,
    /// A project.
    #[arg(long)]
    pub project: Option<Uuid>,
    /// A team.
    #[arg(long)]
    pub team: Option<Uuid>,
}

/// Commands on API keys.
#[derive(Subcommand)]
pub enum KeyAction {
    /// Issue a key; it is printed once and stored nowhere.
    Issue(KeyIssue),
    /// List keys, revoked ones among them.
    List {
        /// Only those of this user.
        #[arg(long)]
        user: Option<UserId>,
    },
    /// Revoke a key, and with it its grants.
    Revoke {
        /// The key's id.
        #[arg(long)]
        key_id: ApiKeyId,
    },
}

/// The key to issue.
#[derive(Args)]
pub struct KeyIssue {
    /// The user of the key.
    #[arg(long)]
    pub user: UserId,
    /// Scopes, separated by commas.
    #[arg(long, value_delimiter = ',', required = true)]
    pub scopes: Vec<Scope>,
    /// Name, for people.
    #[arg(long, default_value = "issued by an operator")]
    pub name: String,
    /// Lifetime: a number with `d`, `h`, `m` or `s`; 365 days at most.
    #[arg(long, default_value = "90d", value_parser = parse_duration)]
    pub expires_in: i64,
    /// Issue a test key, `svc_ak_test_...`.
    #[arg(long)]
    pub test: bool,
}

/// Commands on browser tokens.
#[derive(Subcommand)]
pub enum TokenAction {
    /// Issue a browser token of the development issuer.
    Issue {
        #[command(flatten)]
        subject: TokenSubject,
        /// Lifetime in seconds.
        #[arg(long, default_value_t = 3600)]
        lifetime_secs: u32,
        /// The development issuer's private key (PEM).
        #[arg(long, env = "ATELIER_DEVELOPMENT_ISSUER_KEY_FILE")]
        issuer_key: PathBuf,
    },
    /// Issue a ticket of the development issuer, with which a link signs a person in to the console, once.
    Ticket {
        #[command(flatten)]
        subject: TokenSubject,
        /// Lifetime in seconds.
        #[arg(long, default_value_t = 3600)]
        lifetime_secs: u32,
        /// The development issuer's private key (PEM).
        #[arg(long, env = "ATELIER_DEVELOPMENT_ISSUER_KEY_FILE")]
        issuer_key: PathBuf,
    },
}

/// The person of a token.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct TokenSubject {
    /// A user.
    #[arg(long)]
    pub user: Option<UserId>,
    /// A person with this address, who may have no account yet.
    #[arg(long)]
    pub email: Option<String>,
}

/// Commands on signing keys.
#[derive(Subcommand)]
pub enum SigningKeyAction {
    /// Make an Ed25519 key pair: `<name>-private.pem` and `<name>-public.pem`.
    Generate {
        /// The folder to write to.
        #[arg(long)]
        out: PathBuf,
        /// Prefix of the file names.
        #[arg(long, default_value = "grant")]
        name: String,
    },
}

fn parse_duration(text: &str) -> Result<i64, String> {
    let wrong = || "expected a number with `d`, `h`, `m` or `s`, as in `90d`".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let secs = match unit {
        'd' => 24 * 60 * 60,
        'h' => 60 * 60,
        'm' => 60,
        's' => 1,
        _ => return Err(wrong()),
    };
    let number: i64 = text.trim_end_matches(unit).parse().map_err(|_| wrong())?;
    number.checked_mul(secs).ok_or_else(wrong)
}
