//! Sign-in tickets of the development issuer: a link with one signs a person in, once, where no real issuer has a page
//! for it.
//!
//! Not here: that a ticket counts once, which the control plane's processes agree on.

use std::fmt;

use domain::people::email::EmailAddress;
use domain::time::Timestamp;
use jsonwebtoken::{Algorithm, Header};
use serde::{Deserialize, Serialize};

use crate::browser_token::development::{
    DEVELOPMENT_AUDIENCE, DEVELOPMENT_ISSUER, DevelopmentIssuer, DevelopmentSubject, random_id,
};
use crate::jwt::{self, ExpectedClaims, InvalidToken};

/// The `typ` of a ticket, so that no ticket is taken for a token, and no token for a ticket.
const TYPE: &str = "atelier-ticket+jwt";

/// The text of a sign-in ticket.
///
/// A secret: it has no `Display`, and `Debug` reveals nothing.
#[derive(Clone)]
pub struct SignInTicket(String);

/// A genuine ticket that is not expired. It may have been used before.
#[derive(Clone, Debug)]
pub struct VerifiedTicket {
    /// Its id, by which a second use is noticed.
    pub id: String,
    /// The person who signs in.
    pub subject: DevelopmentSubject,
    /// Seconds from now for which a use must be remembered.
    pub remaining_secs: u32,
}

impl SignInTicket {
    /// The secret, for the link.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SignInTicket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignInTicket([redacted])")
    }
}

impl DevelopmentIssuer {
    /// Issues a ticket for `subject`, valid from `now` for `lifetime_secs`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`: signing failed.
    pub fn issue_ticket(
        &self,
        subject: &DevelopmentSubject,
        now: Timestamp,
        lifetime_secs: u32,
    ) -> Result<SignInTicket, domain::Error> {
        let (sub, email) = match subject {
            DevelopmentSubject::User(user) => (user.to_string(), None),
            DevelopmentSubject::Person(email) => (email.as_str().to_owned(), Some(email.as_str().to_owned())),
        };
        let claims = TicketClaims {
            iss: DEVELOPMENT_ISSUER.to_owned(),
            aud: DEVELOPMENT_AUDIENCE.to_owned(),
            sub,
            email,
            jti: random_id(),
            exp: now.plus_seconds(lifetime_secs.into()).unix_seconds(),
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(TYPE.to_owned());
        header.kid = self.0.id().map(str::to_owned);
        let text = jsonwebtoken::encode(&header, &claims, &self.0.key).map_err(domain::Error::internal)?;
        Ok(SignInTicket(text))
    }

    /// Verifies that this issuer made a ticket and that it is alive at `now`.
    ///
    /// # Errors
    /// [`InvalidToken`], always a 401.
    pub fn verify_ticket(&self, text: &str, now: Timestamp) -> Result<VerifiedTicket, InvalidToken> {
        let header = jwt::header(text)?;
        if header.typ.as_deref() != Some(TYPE) {
            return Err(InvalidToken::Type);
        }
        let trusted = self.trusted();
        let key = trusted.keys.find(&header).ok_or(InvalidToken::Key)?;
        let expected = ExpectedClaims {
            issuer: DEVELOPMENT_ISSUER,
            audience: DEVELOPMENT_AUDIENCE,
            required: &["exp", "aud", "iss", "sub"],
        };
        let claims: TicketClaims = jwt::claims(text, &key.key, key.algorithm, &expected)?;
        jwt::check_time(now, None, claims.exp)?;
        let refused = || InvalidToken::Claims("`sub` or `email` can't be read".into());
        let subject = match claims.email {
            Some(email) => DevelopmentSubject::Person(EmailAddress::parse(&email).ok_or_else(refused)?),
            None => DevelopmentSubject::User(claims.sub.parse().map_err(|_| refused())?),
        };
        let remaining = claims.exp.saturating_sub(now.unix_seconds()).saturating_add(jwt::LEEWAY_SECS);
        let remaining_secs = u32::try_from(remaining.max(1)).unwrap_or(u32::MAX);
        Ok(VerifiedTicket { id: claims.jti, subject, remaining_secs })
    }
}

#[derive(Serialize, Deserialize)]
struct TicketClaims {
    iss: String,
    aud: String,
    sub: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    jti: String,
    exp: i64,
}

#[cfg(test)]
mod tests {
    use domain::id::UserId;
    use domain::people::email::EmailAddress;
    use domain::time::Timestamp;

    use crate::browser_token::development::{DevelopmentIssuer, DevelopmentSubject};
    use crate::jwt::InvalidToken;
    use crate::signing_key::generate;

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-20T12:00:00Z").unwrap()
    }

    fn issuer() -> DevelopmentIssuer {
        DevelopmentIssuer::from_pem(&generate().unwrap().private).unwrap()
    }

    #[test]
    fn a_ticket_names_its_person_until_it_expires_and_has_an_id_of_its_own() {
        let issuer = issuer();
        let user = UserId::new(now());
        let [first, second] =
            [(); 2].map(|()| issuer.issue_ticket(&DevelopmentSubject::User(user), now(), 600).unwrap());
        let [first, second] =
            [first, second].map(|ticket| issuer.verify_ticket(ticket.reveal(), now()).unwrap());
        assert!(matches!(first.subject, DevelopmentSubject::User(id) if id == user));
        assert_eq!(first.remaining_secs, 605);
        assert_ne!(first.id, second.id);

        let email = EmailAddress::parse("new@example.com").unwrap();
        let ticket = issuer.issue_ticket(&DevelopmentSubject::Person(email), now(), 600).unwrap();
        let verified = issuer.verify_ticket(ticket.reveal(), now()).unwrap();
        assert!(
            matches!(verified.subject, DevelopmentSubject::Person(email) if email.as_str() == "new@example.com")
        );
        let late = issuer.verify_ticket(ticket.reveal(), now().plus_seconds(606));
        assert!(matches!(late, Err(InvalidToken::Expired)));
    }

    #[test]
    fn a_ticket_is_no_token_and_a_token_no_ticket() {
        let issuer = issuer();
        let subject = DevelopmentSubject::User(UserId::new(now()));
        let ticket = issuer.issue_ticket(&subject, now(), 600).unwrap();
        assert!(matches!(issuer.trusted().verify(ticket.reveal(), now()), Err(InvalidToken::Type)));
        let token = issuer.issue(&subject, now(), 600).unwrap();
        assert!(matches!(issuer.verify_ticket(token.reveal(), now()), Err(InvalidToken::Type)));
        let other = DevelopmentIssuer::from_pem(&generate().unwrap().private).unwrap();
        assert!(matches!(other.verify_ticket(ticket.reveal(), now()), Err(InvalidToken::Key)));
    }
}
