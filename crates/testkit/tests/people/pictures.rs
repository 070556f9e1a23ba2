//! Pictures of people: set by the person, and seen by those who know the person.

use insta::assert_snapshot;
use serde_json::json;
use testkit::answer::Answer;
use testkit::images::png_of;
use testkit::upload::{form_with, sha256};

use crate::support::{Organization, Person, listed};

const OWN: &str = "/api/v2/me/picture";

impl Person {
    async fn send_picture(&self, image: &[u8]) -> Answer {
        let (media_type, body) = form_with(&[], image);
        self.browser.put(OWN).body(&media_type, body).await
    }

    /// The pictures that the person sees of these people.
    async fn seen_pictures(&self, people: &[&str]) -> Vec<String> {
        let asked = self.browser.post("/api/v2/pictures/lookup").json(json!({ "userIds": people }));
        listed(&asked.await.expect(200), "pictures", "sha256")
    }

    async fn read_picture(&self, hash: &str) -> Answer {
        self.browser.get(&format!("/api/v2/pictures/{hash}")).await
    }
}

#[tokio::test]
async fn a_picture_is_seen_by_those_who_know_the_person() {
    let organization = Organization::open().await;
    let (bob, guest) =
        (organization.member("bob", "member").await, organization.member("gil", "guest").await);
    let stranger = organization.person("eve").await;
    let alice = &organization.alice;
    let set = alice.send_picture(&png_of([200, 30, 90], "taken at home")).await.expect(200);
    let hash = set.text("/picture/sha256");
    assert_eq!(set.text("/picture/userId"), alice.id);
    for person in [alice, &bob] {
        assert_eq!(person.seen_pictures(&[&bob.id, &alice.id]).await, std::slice::from_ref(&hash));
        let read = person.read_picture(&hash).await.expect(200);
        assert_eq!(read.header("content-type"), "image/png");
        assert_eq!(read.header("cache-control"), "private, max-age=31536000, immutable");
        assert_eq!(sha256(&read.body), hash);
        // A square of 256 pixels, drawn again: nothing of the metadata is left.
        assert_eq!(read.body[16..24], [0, 0, 1, 0, 0, 0, 1, 0]);
        assert!(!read.body.windows(4).any(|part| part == b"home"));
    }
    // Others learn nothing, not even by the address.
    for person in [&guest, &stranger] {
        assert!(person.seen_pictures(&[&alice.id]).await.is_empty());
        assert_eq!(person.read_picture(&hash).await.to_string(), "404 NOT_FOUND");
    }
    // With the membership ends what the member saw.
    organization.alice.browser.delete(&organization.member_path(&bob)).await.expect(200);
    assert!(bob.seen_pictures(&[&alice.id]).await.is_empty());
    assert_snapshot!(bob.read_picture(&hash).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_person_has_one_picture_which_another_one_replaces() {
    let organization = Organization::open().await;
    let alice = &organization.alice;
    let first = alice.send_picture(&png_of([1, 2, 3], "")).await.expect(200).text("/picture/sha256");
    // The same image is the same picture, and other metadata make no other one.
    let again = alice.send_picture(&png_of([1, 2, 3], "again")).await.expect(200);
    assert_eq!(again.text("/picture/sha256"), first);
    let second = alice.send_picture(&png_of([3, 2, 1], "")).await.expect(200).text("/picture/sha256");
    assert_ne!(first, second);
    assert_eq!(alice.seen_pictures(&[&alice.id]).await, std::slice::from_ref(&second));
    assert_snapshot!(alice.read_picture(&first).await, @"404 NOT_FOUND");
    assert_snapshot!(alice.browser.delete(OWN).await, @r#"200 {"deleted":true}"#);
    assert_snapshot!(alice.browser.delete(OWN).await, @r#"200 {"deleted":false}"#);
    assert!(alice.seen_pictures(&[&alice.id]).await.is_empty());
    assert_snapshot!(alice.read_picture(&second).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_file_that_is_no_image_leaves_the_picture_as_it_is() {
    let organization = Organization::open().await;
    let alice = &organization.alice;
    let image = png_of([9, 9, 9], "");
    let hash = alice.send_picture(&image).await.expect(200).text("/picture/sha256");
    let cut = &image[..image.len() - 30];
    let script = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    for refused in [&b""[..], b"no image", b"GIF89a\x01\0\x01\0\0\0\0;", script, b"\x89PNG\r\n\x1a\n", cut] {
        let refused = alice.send_picture(refused).await.to_string();
        assert_eq!(refused, "400 INVALID_REQUEST body.file format");
    }
    let large = [&image[..], &vec![0; 1024 * 1024]].concat();
    assert_eq!(alice.send_picture(&large).await.status, 413);
    let (media_type, body) = form_with(&[("name", "x")], &image);
    let other = alice.browser.put(OWN).body(&media_type, body).await;
    assert_eq!(other.status, 400);
    let key = alice.key(&["projects:manage"]).await;
    let (media_type, body) = form_with(&[], &image);
    assert_snapshot!(key.put(OWN).body(&media_type, body).await, @"403 CREDENTIAL_NOT_PERMITTED");
    assert_eq!(alice.seen_pictures(&[&alice.id]).await, [hash]);
    let none = alice.browser.post("/api/v2/pictures/lookup").json(json!({ "userIds": [] })).await;
    assert_snapshot!(none, @"400 INVALID_REQUEST body.userIds minItems");
}
