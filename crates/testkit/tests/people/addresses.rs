//! Names in addresses that were given up: nobody else gets them for 90 days, and a moved project is found by its own.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Organization, Person};

/// The beginning of a clone from an address.
async fn begin(person: &Person, address: &str) -> (u16, Option<String>) {
    let path = format!("/git/{address}.git/info/refs?service=git-upload-pack");
    let answer = person.browser.get(&path).await;
    let location = answer.headers.get("location").map(|place| place.to_str().unwrap().to_owned());
    (answer.status, location)
}

#[tokio::test]
async fn the_name_of_a_deleted_organization_or_project_goes_to_nobody_else_for_90_days() {
    let organization = Organization::own().await;
    let (ben, eve) = (organization.member("ben", "member").await, organization.person("eve").await);
    let gear = organization.alice.project("Gear", Some(&organization.org)).await;
    organization.alice.browser.delete(&format!("/api/v2/projects/{gear}")).await.expect(200);
    let again = ben.project("Gear", Some(&organization.org)).await;
    let slug =
        async || ben.browser.get(&format!("/api/v2/projects/{again}")).await.text("/project/projectSlug");
    assert_eq!(slug().await, "gear-2");

    ben.browser.delete(&format!("/api/v2/projects/{again}")).await.expect(200);
    organization.alice.browser.delete(&organization.at("")).await.expect(200);
    let team = async |person: &Person| {
        let made = person.browser.post("/api/v2/orgs").json(json!({ "name": "Works" })).await.expect(201);
        made.text("/organization/slug")
    };
    assert_eq!(team(&eve).await, "works-2");
    let operator = organization.deployment.operator();
    let taken =
        operator.try_run(&["org", "create", "--name", "W", "--slug", "works", "--owner", &eve.id]).await;
    let refused = taken.unwrap_err();
    let said = refused.lines().next().unwrap();
    assert_snapshot!(said, @"Error: slug: belongs to another user or organization");

    let past = "update kept_addresses set kept_until = now() - interval '1 second'";
    organization.deployment.database.connect().await.execute(past, &[]).await.unwrap();
    assert_eq!(team(&eve).await, "works");
}

#[tokio::test]
async fn an_address_from_which_a_project_moved_leads_to_it_and_to_no_other() {
    let organization = Organization::own().await;
    let eve = organization.person("eve").await;
    let gear = organization.alice.project("Gear", None).await;
    let to_works = json!({ "ownerId": organization.org });
    let transfer = format!("/api/v2/projects/{gear}/transfer");
    organization.alice.browser.post(&transfer).json(to_works).await.expect(200);
    let moved = Some("/git/works/gear.git/info/refs?service=git-upload-pack".to_owned());
    assert_eq!(begin(&organization.alice, "alice/gear").await, (301, moved.clone()));
    assert_eq!(begin(&organization.alice, "works/gear").await, (200, None));
    // Strangers learn nothing of it.
    assert_eq!(begin(&eve, "alice/gear").await, (404, None));

    // Another project of the same name has an address of its own; the moved one may come back to its old one.
    let other = organization.alice.project("Gear", None).await;
    let other = organization.alice.browser.get(&format!("/api/v2/projects/{other}")).await;
    assert_eq!(other.text("/project/projectSlug"), "gear-2");
    assert_eq!(begin(&organization.alice, "alice/gear").await, (301, moved));
    organization
        .alice
        .browser
        .post(&transfer)
        .json(json!({ "ownerId": organization.alice.id }))
        .await
        .expect(200);
    assert_eq!(begin(&organization.alice, "alice/gear").await, (200, None));
}
