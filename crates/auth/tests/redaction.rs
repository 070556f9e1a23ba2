//! The `Debug` output of types with secrets.

use std::fmt::Debug;

use auth::actor::{Actor, ActorGrant, GrantedSession, Purpose};
use auth::api_key::{ApiKey, Mode};
use auth::browser_token::development::{DevelopmentIssuer, DevelopmentSubject};
use auth::credential::{AuthorizationSchemes, Credential};
use auth::grant::{GrantSigner, GrantTerms, GrantVerifier};
use auth::signing_key::generate;
use domain::content::project::BranchName;
use domain::id::{ProjectId, SessionId, UserId};
use domain::people::permission::Permissions;
use domain::time::Timestamp;
use domain::work::session::ConnectionId;

/// Asserts that neither the secret, nor a usable part of it, nor the prefix for log scanners appears.
fn assert_redacted(value: &impl Debug, secret: &str) {
    for output in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(!output.contains("svc_"), "{output}");
        assert!(!output.contains("-----BEGIN PRIVATE"), "{output}");
        let parts: Vec<char> = secret.chars().collect();
        for part in parts.windows(12).map(String::from_iter) {
            assert!(!output.contains(&part), "{output} shows {part}");
        }
    }
}

#[test]
fn debug_output_reveals_no_secret() {
    let now = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
    let pair = generate().unwrap();
    let pem_body: String = pair.private.lines().filter(|line| !line.starts_with('-')).collect();
    let session = SessionId::new(now);
    let terms = GrantTerms {
        user: UserId::new(now),
        permissions: Permissions::all(),
        bound_to: ActorGrant {
            key: None,
            project: ProjectId::new(now),
            purpose: Purpose::Session(GrantedSession {
                branch: BranchName::main(),
                session,
                connection: ConnectionId::of_session(session),
            }),
        },
    };
    let signer = GrantSigner::from_pem(&pair.private).unwrap();
    let minted = signer.mint(&terms, now).unwrap();
    let issuer = DevelopmentIssuer::from_pem(&pair.private).unwrap();
    let token = issuer.issue(&DevelopmentSubject::User(terms.user), now, 60).unwrap();
    let key = ApiKey::generate(Mode::Live);

    assert_redacted(&key, key.reveal());
    assert_redacted(&minted, minted.grant.reveal());
    assert_redacted(&minted.grant, minted.grant.reveal());
    assert_redacted(&token, token.reveal());
    assert_redacted(&pair, &pem_body);
    assert_redacted(&signer, &pem_body);
    assert_redacted(&issuer, &pem_body);

    for secret in [key.reveal(), minted.grant.reveal(), token.reveal()] {
        let header = format!("Bearer {secret}");
        let credential = Credential::from_authorization([header.as_bytes()], AuthorizationSchemes::Bearer)
            .unwrap()
            .unwrap();
        assert_redacted(&credential, secret);
    }

    let verifier = GrantVerifier::from_pem(&pair.public).unwrap();
    let verified = verifier.verify(minted.grant.reveal(), now).unwrap();
    assert_redacted(&verified, minted.grant.reveal());
    assert_redacted(&Actor::from(verified.terms), minted.grant.reveal());
    let cut = minted.grant.reveal().strip_suffix(|_: char| true).unwrap();
    assert_redacted(&verifier.verify(cut, now).unwrap_err(), cut);
    assert_redacted(&domain::Error::from(verifier.verify(cut, now).unwrap_err()), cut);
}
