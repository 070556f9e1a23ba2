//! Mails that invite people, where the deployment has a mail server. Every process sends those that are due; each is
//! claimed by one, and tried again after a failure.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use domain::people::email::text_in_mail;
use domain::people::invitation::InvitationMailState;
use domain::time::{Clock, Timestamp};
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, SinglePart};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use store::Store;
use store::people::invitation_mails::InvitationMail;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::settings::MailSettings;

/// Longest wait for a mail that another process, which has ended since, was to send.
const POLL_INTERVAL: Duration = Duration::from_secs(10);
/// Longest conversation with the mail server for one mail.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// The subject of every invitation.
const SUBJECT: &str = "You are invited to an organization";
/// Most attempts for a mail; the last ones are an hour apart.
const ATTEMPTS_MAX: u32 = 12;

/// The mails of the deployment; none without a mail server. Cheap to clone.
#[derive(Clone, Default)]
pub struct Mails(Option<Outgoing>);

#[derive(Clone)]
struct Outgoing {
    wake: Arc<Notify>,
    daily_limit: u32,
}

impl Mails {
    /// Most mails of the deployment in a day; `None` without a mail server.
    pub fn daily_limit(&self) -> Option<u32> {
        self.0.as_ref().map(|outgoing| outgoing.daily_limit)
    }

    /// Sends what is due now rather than at the next look.
    pub fn wake(&self) {
        if let Some(outgoing) = &self.0 {
            outgoing.wake.notify_one();
        }
    }
}

/// The sender of mails.
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    /// The console's page with a person's own invitations.
    page: String,
    wake: Arc<Notify>,
}

impl Mailer {
    /// The sender of these settings, and the handle that wakes it; no sender without a mail server.
    ///
    /// # Errors
    /// A setting can't be used.
    pub fn new(
        settings: &MailSettings,
        daily_limit: u32,
        public_url: Option<&str>,
    ) -> anyhow::Result<(Option<Self>, Mails)> {
        let (Some(url), Some(from)) = (&settings.smtp_url, &settings.mail_from) else {
            return Ok((None, Mails::default()));
        };
        let public_url = public_url.context("mails name ATELIER_PUBLIC_URL, which is not set")?;
        if url.scheme() == "smtp" && url.password().is_some() && url.query() != Some("tls=required") {
            bail!("ATELIER_SMTP_URL would send its password without TLS: use smtps://, or ?tls=required");
        }
        // Not the parser's own error, which may hold the password.
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.as_str()).ok();
        let transport = transport.context("ATELIER_SMTP_URL is not an smtp:// or smtps:// URL")?;
        let from: Mailbox = from.parse().context("ATELIER_MAIL_FROM is not an address")?;
        if from.name.as_ref().is_some_and(|name| name.contains("=?")) {
            bail!(
                "ATELIER_MAIL_FROM has an encoded word (=?...?=) in its name: write its characters as they are"
            );
        }
        let wake = Arc::new(Notify::new());
        let page = format!("{}/account", public_url.trim_end_matches('/'));
        let transport = transport.timeout(Some(SEND_TIMEOUT)).build();
        let outgoing = Outgoing { wake: wake.clone(), daily_limit };
        Ok((Some(Self { transport, from, page, wake }), Mails(Some(outgoing))))
    }

    /// Sends mails until the process ends.
    pub async fn run(self, store: Store, clock: Clock) {
        loop {
            match store.claim_invitation_mail(clock.now()).await {
                Ok(Some(mail)) => self.attend(&store, &mail).await,
                Ok(None) => drop(timeout(POLL_INTERVAL, self.wake.notified()).await),
                Err(error) => {
                    tracing::warn!("error.chain" = error.chain(), "mails that are due could not be read");
                    tokio::time::sleep(POLL_INTERVAL).await;
                }
            }
        }
    }

    /// Sends a claimed mail. The time of its next attempt is set already.
    async fn attend(&self, store: &Store, mail: &InvitationMail) {
        let invitation = mail.invitation;
        let state = match self.send(mail).await {
            Ok(()) => {
                tracing::info!(%invitation, "invitation mailed");
                InvitationMailState::Sent
            }
            // An error's text may hold addresses, which a log must not.
            Err(failure) if failure.is_final || mail.attempts >= ATTEMPTS_MAX => {
                tracing::warn!(%invitation, smtp.code = failure.code, "the invitation can't be mailed");
                InvitationMailState::Failed
            }
            Err(failure) => {
                tracing::info!(%invitation, smtp.code = failure.code, "mailing failed; it is tried again");
                return;
            }
        };
        if let Err(error) = store.end_invitation_mail(invitation, state).await {
            tracing::warn!(%invitation, "error.chain" = error.chain(), "the mail may be sent again");
        }
    }

    async fn send(&self, mail: &InvitationMail) -> Result<(), SendFailure> {
        let message = self.message(mail).map_err(|_| SendFailure { code: None, is_final: true })?;
        let sent = self.transport.send(message).await;
        sent.map(drop).map_err(|error| SendFailure {
            code: error.status().map(|code| code.to_string()),
            is_final: error.is_permanent(),
        })
    }

    /// The text, without a secret: its address finds the invitation after signing in. Its subject is the service's own, and
    /// names are shown as text that leads nowhere: a person who invites strangers chooses them.
    fn message(&self, mail: &InvitationMail) -> anyhow::Result<Message> {
        let InvitationMail { address, inviter_address, .. } = mail;
        let (inviter, organization) = (text_in_mail(&mail.inviter), text_in_mail(&mail.organization));
        let (role, page) = (mail.role.as_str(), &self.page);
        let day = day(mail.expires_at);
        let text = format!(
            "A person with the address {inviter_address} and the name \"{inviter}\" invites you to join an \
             organization as {role}. They call it \"{organization}\".\n\n\
             Sign in as {address} to accept:\n{page}\n\n\
             The invitation ends on {day}. Nothing happens unless you accept it. If you don't know the person, \
             ignore this mail.\n"
        );
        let automatic =
            HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned());
        let message = MessageBuilder::new()
            .from(self.from.clone())
            .to(Mailbox::new(None, address.parse()?))
            .subject(SUBJECT)
            // The same for each attempt, so that a mail that arrives twice is known to be one.
            .message_id(Some(format!("<{}@{}>", mail.invitation, self.from.email.domain())))
            .raw_header(automatic)
            // Not `body`, which writes no `MIME-Version`: without it a reader may take any mail for plain ASCII.
            .singlepart(SinglePart::plain(text))?;
        Ok(message)
    }
}

/// A mail that was not sent.
struct SendFailure {
    /// The server's reply.
    code: Option<String>,
    /// True if another attempt would fail, too.
    is_final: bool,
}

/// The date of a moment, in UTC.
fn day(moment: Timestamp) -> String {
    moment.to_string().chars().take("2026-01-01".len()).collect()
}
