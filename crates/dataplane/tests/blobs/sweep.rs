//! The sweep of a bucket, whose times of files are unreliable.

use bytes::Bytes;
use dataplane::sweep::{Suspects, sweep};
use domain::time::Clock;
use store::{DatabaseConfig, Store};
use testkit::deployment::Deployment;

use crate::stores::{Rig, new_key};

const GRACE_SECS: i64 = 3_600;

#[tokio::test(flavor = "multi_thread")]
async fn a_blob_in_a_bucket_is_swept_after_the_grace_without_a_reference() {
    let deployment = Deployment::start().await;
    let database = DatabaseConfig {
        url: deployment.database.url(),
        max_connections: 2,
        statement_secs: DatabaseConfig::STATEMENT_SECS,
    };
    let store = Store::open(&database).unwrap();
    let [_, bucket] = Rig::both().await;
    let mut writer = bucket.blobs.create(new_key());
    writer.write(Bytes::from_static(b"orphan")).await.unwrap();
    writer.finish().await.unwrap();

    let (mut suspects, start) = (Suspects::default(), Clock::system().now());
    let mut removed = async |after_secs: i64| {
        let now = start.plus_seconds(after_secs);
        sweep(&bucket.blobs, &store, &mut suspects, now, GRACE_SECS).await.unwrap()
    };
    assert_eq!(removed(0).await, 0, "it is new");
    // Now it looks old, like the blob of a slow client, which may be about to be attached.
    assert_eq!(removed(2 * GRACE_SECS).await, 0);
    assert_eq!(removed(3 * GRACE_SECS).await, 0);
    assert_eq!(removed(3 * GRACE_SECS + 1).await, 1);
    assert_eq!(removed(9 * GRACE_SECS).await, 0);
}
