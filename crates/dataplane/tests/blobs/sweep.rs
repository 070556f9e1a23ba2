//! The sweep of a bucket, whose ages can't be relied on.

use bytes::Bytes;
use dataplane::sweep::{Suspects, sweep};
use domain::time::Clock;
use store::{DatabaseConfig, Store};
use testkit::api::Api;

use crate::stores::{Rig, new_key};

const GRACE_SECS: i64 = 3_600;

#[tokio::test(flavor = "multi_thread")]
async fn a_blob_of_a_bucket_is_swept_once_nothing_has_referred_to_it_for_the_grace() {
    let api = Api::start().await;
    let database = DatabaseConfig {
        url: api.database.url(),
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
    // From here on it looks old, as one does whose client took long. So it may be about to be attached.
    assert_eq!(removed(2 * GRACE_SECS).await, 0);
    assert_eq!(removed(3 * GRACE_SECS).await, 0);
    assert_eq!(removed(3 * GRACE_SECS + 1).await, 1);
    assert_eq!(removed(9 * GRACE_SECS).await, 0);
}
