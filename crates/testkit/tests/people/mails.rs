//! Mails to invited people, by a real conversation in SMTP.

use serde_json::json;
use testkit::mail_server::MailServer;
use testkit::open_session::eventually_async;

use crate::support::{Organization, listed};

#[tokio::test]
async fn an_addressed_invitation_is_mailed_to_its_address_without_its_secret() {
    let server = MailServer::start(Vec::new()).await;
    let place = mailing(&server).await;
    // Neither a bearer's invitation nor a name can make a mail of its own, and no name is a link in it.
    place.invite(json!({ "role": "guest" })).await;
    let name = json!({ "name": "=?utf-8?Q?Bank?= https://evil.example\r\nBcc: eve@example.com" });
    place.alice.browser.patch(&place.at("")).json(name).await.expect(200);
    let invited = place.invite(json!({ "role": "member", "email": "bob@example.com" })).await;

    let mails = server.mails(1).await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].recipients, ["RCPT TO:<bob@example.com>"]);
    // Without the soft line ends of its encoding.
    let text = &mails[0].text.replace("=\r\n", "");
    assert!(!text.contains(&invited.text("/secret")), "{text}");
    for forged in ["\nBcc", "=?", "evil.example", "eve@example.com"] {
        assert!(!text.contains(forged), "{text}");
    }
    assert!(text.contains("Subject: You are invited to an organization\r\n"), "{text}");
    assert!(text.contains("utf-8 Q Bank https evil example Bcc eve example com"), "{text}");
    // It names who invites, to what, and as what.
    let says = "A person with the address alice@example.com and the name \"alice\" invites you to join an \
                organization as member.";
    assert!(text.contains(says), "{text}");
    assert!(text.contains("https://atelier.example.org/account"), "{text}");
    assert!(text.contains("From: Atelier <atelier@example.org>"), "{text}");
    assert!(text.contains("MIME-Version: 1.0\r\n"), "{text}");
    assert_eq!(invited.text("/invitation/mail"), "due");
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
    // The person who invites learns which mails have left, newest invitation first.
    eventually_async("the mails are told", async || {
        let listed = place.alice.browser.get(&place.at("/invitations")).await.expect(200);
        let listed = listed.json();
        let states =
            listed["invitations"].as_array().unwrap().iter().map(|invitation| invitation["mail"].as_str());
        states.eq([Some("sent"), None, Some("failed"), Some("sent")])
    })
    .await;
}

#[tokio::test]
async fn every_address_that_is_taken_can_be_mailed() {
    let server = MailServer::start(Vec::new()).await;
    let place = mailing(&server).await;
    let long = format!("{}@example.com", "a".repeat(64));
    let taken = [
        ("bob@bücher.example", "bob@xn--bcher-kva.example"),
        (long.as_str(), long.as_str()),
        ("o'neill+x@a-b.example", "o'neill+x@a-b.example"),
    ];
    for (number, (written, mailed)) in taken.into_iter().enumerate() {
        let invited = place.invite(json!({ "role": "guest", "email": written })).await;
        assert_eq!(invited.text("/invitation/email"), mailed);
        assert_eq!(server.mails(number + 1).await[number].recipients, [format!("RCPT TO:<{mailed}>")]);
    }
    let long = format!("a{long}");
    for refused in ["bob@[127.0.0.1]", "bob@example.com.", "bøb@example.com", "a@b@c", &long] {
        let body = json!({ "role": "guest", "email": refused });
        place.alice.browser.post(&place.at("/invitations")).json(body).await.expect(400);
    }
}

#[tokio::test]
async fn a_person_causes_a_hundred_mails_a_day() {
    let server = MailServer::start(Vec::new()).await;
    let place = mailing(&server).await;
    for number in 0..101 {
        let invited =
            place.invite(json!({ "role": "guest", "email": format!("p{number}@example.com") })).await;
        assert_eq!(invited.text("/invitation/mail"), if number < 100 { "due" } else { "limited" });
    }
    let mails = server.mails(100).await;
    assert_eq!(mails.len(), 100);
    assert_eq!(
        place.deployment.database.count("select count(*) from invitations where mail_attempts = 0").await,
        1
    );
}

#[tokio::test]
async fn mails_count_after_their_invitations_and_by_recipient() {
    let server = MailServer::start(Vec::new()).await;
    let place = mailing(&server).await;
    let second = place.alice.organization("Other").await;
    let paths = [place.at("/invitations"), format!("/api/v2/orgs/{second}/invitations")];
    // Revoked or replaced, and under whichever tag: five mails reach one mailbox in a day.
    for number in 0..12 {
        let email = if number % 3 == 0 { "bob@example.com" } else { "Bob+tag@Example.com" };
        let path = &paths[number % 2];
        let body = json!({ "role": "guest", "email": email });
        let invited = place.alice.browser.post(path).json(body).await.expect(201);
        place.alice.browser.delete(&format!("{path}/{}", invited.text("/invitation/id"))).await.expect(200);
    }
    let count = |sql: &'static str| place.deployment.database.count(sql);
    assert_eq!(
        count("select count(*) from sent_invitation_mails where recipient = 'bob@example.com'").await,
        5
    );
    // A day later there is room again.
    let later = "update sent_invitation_mails set created_at = created_at - interval '25 hours'";
    place.deployment.database.connect().await.execute(later, &[]).await.unwrap();
    place.invite(json!({ "role": "guest", "email": "bob@example.com" })).await;
    assert_eq!(count("select count(*) from sent_invitation_mails").await, 6);
}

#[tokio::test]
async fn the_deployment_has_a_limit_which_holds_for_requests_at_once() {
    let server = MailServer::start(Vec::new()).await;
    let limit = ("daily_mails", "3".to_owned());
    let organization = Organization::open_with([mail_settings(&server), vec![limit]].concat()).await;
    let admins = [organization.alice.clone(), organization.member("ben", "admin").await];
    let invite = async |number: usize| {
        let body = json!({ "role": "guest", "email": format!("p{number}@example.com") });
        admins[number % 2].browser.post(&organization.at("/invitations")).json(body).await.expect(201);
    };
    // At once, too.
    futures_util::future::join_all((0..8).map(invite)).await;
    let counted = "select count(*) from sent_invitation_mails";
    assert_eq!(organization.deployment.database.count(counted).await, 3);
    assert_eq!(server.mails(3).await.len(), 3);
}

/// A deployment that sends mails by this server.
async fn mailing(server: &MailServer) -> Organization {
    Organization::open_with(mail_settings(server)).await
}

fn mail_settings(server: &MailServer) -> Vec<(&'static str, String)> {
    vec![
        ("ATELIER_SMTP_URL", server.url.clone()),
        ("ATELIER_MAIL_FROM", "Atelier <atelier@example.org>".to_owned()),
        ("ATELIER_PUBLIC_URL", "https://atelier.example.org".to_owned()),
    ]
}
