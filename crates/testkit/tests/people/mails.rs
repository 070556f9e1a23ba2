//! Mails to invited people, by a real conversation in SMTP.

use serde_json::json;
use testkit::mail_server::MailServer;

use crate::support::{Organization, listed};

#[tokio::test]
async fn an_addressed_invitation_is_mailed_to_its_address_without_its_secret() {
    let server = MailServer::start(Vec::new()).await;
    let place = mailing(&server).await;
    // Neither a bearer's invitation nor a name can make a mail of its own.
    place.invite(json!({ "role": "guest" })).await;
    let name = json!({ "name": "Works\r\nBcc: eve@example.com" });
    place.alice.browser.patch(&place.at("")).json(name).await.expect(200);
    let invited = place.invite(json!({ "role": "member", "email": "bob@example.com" })).await;

    let mails = server.mails(1).await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].recipients, ["RCPT TO:<bob@example.com>"]);
    let text = &mails[0].text;
    assert!(!text.contains(&invited.text("/secret")), "{text}");
    assert!(!text.contains("\nBcc"), "{text}");
    assert!(text.contains("https://atelier.example.org/account"), "{text}");
    assert!(text.contains("From: Atelier <atelier@example.org>"), "{text}");
    // Who signs in with the address finds it.
    let bob = place.person("bob").await;
    let own = bob.browser.get("/api/v2/invitations").await.expect(200);
    assert_eq!(listed(&own, "invitations", "id"), [invited.text("/invitation/id")]);
}

#[tokio::test]
async fn a_mail_that_fails_is_sent_later_and_one_that_is_refused_is_not() {
    let server = MailServer::start(vec!["451 Later", "550 Nobody here"]).await;
    let place = mailing(&server).await;
    place.invite(json!({ "role": "member", "email": "bob@example.com" })).await;
    server.refused(1).await;
    place.invite(json!({ "role": "member", "email": "nobody@example.com" })).await;
    server.refused(2).await;
    // The next attempts are due now rather than in a minute, and an invitation wakes the sender.
    let due = "update invitations set mail_at = created_at where mail_at is not null";
    place.deployment.database.connect().await.execute(due, &[]).await.unwrap();
    place.invite(json!({ "role": "guest" })).await;

    assert_eq!(server.mails(1).await[0].recipients, ["RCPT TO:<bob@example.com>"]);
    place.invite(json!({ "role": "member", "email": "carl@example.com" })).await;
    let mails = server.mails(2).await;
    assert_eq!(mails.len(), 2, "{mails:?}");
    assert_eq!(mails[1].recipients, ["RCPT TO:<carl@example.com>"]);
}

#[tokio::test]
async fn a_person_causes_a_hundred_mails_a_day() {
    let server = MailServer::start(Vec::new()).await;
    let place = mailing(&server).await;
    for number in 0..101 {
        place.invite(json!({ "role": "guest", "email": format!("p{number}@example.com") })).await;
    }
    let mails = server.mails(100).await;
    assert_eq!(mails.len(), 100);
    assert_eq!(
        place.deployment.database.count("select count(*) from invitations where mail_attempts = 0").await,
        1
    );
}

/// A deployment that sends mails by this server.
async fn mailing(server: &MailServer) -> Organization {
    Organization::open_with(vec![
        ("ATELIER_SMTP_URL", server.url.clone()),
        ("ATELIER_MAIL_FROM", "Atelier <atelier@example.org>".to_owned()),
        ("ATELIER_PUBLIC_URL", "https://atelier.example.org".to_owned()),
    ])
    .await
}
