//! Settings of the data plane, from the environment or the command line.
//!
//! The settings of the server and of PostgreSQL are the same for both planes (`wire`, `store`).

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use domain::rate::Rate;
use link::LinkConfig;
use store::DatabaseConfig;
use url::Url;
use wire::{AddressLimits, DeploymentSettings, RateLimits, ServerConfig};

use crate::blobs::Blobs;
use crate::blobs::local::BlobFolder;
use crate::blobs::s3::{Bucket, BucketSettings, Credentials};
use crate::convert::settings::ConversionSettings;
use crate::preview::settings::PreviewSettings;

/// The object store. No `Debug`, because it holds a secret.
#[derive(Args)]
pub struct BlobSettings {
    /// Location of files: `file:///absolute/folder`, or `s3://bucket/prefix`.
    #[arg(long, env = "ATELIER_BLOB_STORE", value_name = "URL")]
    blob_store: Url,

    /// URL of the S3-compatible service. Defaults to Amazon's.
    #[arg(long, env = "ATELIER_S3_ENDPOINT", value_name = "URL")]
    s3_endpoint: Option<String>,

    /// Region of the bucket.
    #[arg(long, env = "ATELIER_S3_REGION", default_value = "us-east-1")]
    s3_region: String,

    /// Id of the access key to the bucket. Defaults to the machine's role.
    #[arg(long, env = "ATELIER_S3_ACCESS_KEY_ID", requires = "s3_secret_access_key")]
    s3_access_key_id: Option<String>,

    /// Secret of the access key to the bucket.
    #[arg(long, env = "ATELIER_S3_SECRET_ACCESS_KEY", hide_env_values = true, requires = "s3_access_key_id")]
    s3_secret_access_key: Option<String>,
}

impl BlobSettings {
    /// Opens the object store.
    ///
    /// # Errors
    /// The URL has another scheme, or the folder can't be created.
    pub fn open(&self) -> anyhow::Result<Blobs> {
        match self.blob_store.scheme() {
            "file" => {
                let path: PathBuf = self.blob_store.to_file_path().map_err(|()| {
                    anyhow::anyhow!("ATELIER_BLOB_STORE must name an absolute folder of this machine")
                })?;
                let folder = BlobFolder::open(&path)
                    .with_context(|| format!("the folder {} can't be used", path.display()))?;
                Ok(Blobs::Local(folder))
            }
            "s3" => {
                Ok(Blobs::S3(Bucket::open(&self.bucket()?).context("the bucket's settings can't be used")?))
            }
            scheme => bail!("ATELIER_BLOB_STORE must be a file: or an s3: URL, not {scheme}:"),
        }
    }

    fn bucket(&self) -> anyhow::Result<BucketSettings> {
        let credentials = self.s3_access_key_id.clone().zip(self.s3_secret_access_key.clone());
        Ok(BucketSettings {
            bucket: self.blob_store.host_str().context("ATELIER_BLOB_STORE names no bucket")?.to_owned(),
            prefix: self.blob_store.path().trim_matches('/').to_owned(),
            endpoint: self.s3_endpoint.clone(),
            region: self.s3_region.clone(),
            credentials: credentials
                .map(|(access_key_id, secret_access_key)| Credentials { access_key_id, secret_access_key }),
        })
    }
}

/// The rate limits of this plane. Each limit is `PER_MINUTE/BURST`, as in `600/120`, or `off`.
#[derive(Args, Clone, Copy)]
pub struct RateSettings {
    /// Requests of all callers of this plane together: in a minute, and at once; or `off`.
    #[arg(
        long,
        env = "ATELIER_RATE_DATA_GLOBAL",
        default_value = "120000/24000",
        value_name = "PER_MINUTE/BURST"
    )]
    rate_data_global: Rate,
    /// Requests of one user, by all grants together: in a minute, and at once; or `off`.
    #[arg(
        long,
        env = "ATELIER_RATE_DATA_USER",
        default_value = "30000/12000",
        value_name = "PER_MINUTE/BURST"
    )]
    rate_data_user: Rate,
    /// Bytes that one user sends, by all grants together: in a minute, and at once; or `off`. A larger file passes, and
    /// counts as many bytes as may be sent at once.
    #[arg(
        long,
        env = "ATELIER_RATE_DATA_BYTES",
        default_value = "20000000000/100000000000",
        value_name = "PER_MINUTE/BURST"
    )]
    rate_data_bytes: Rate,
    #[command(flatten)]
    strangers: AddressLimits,
}

impl RateSettings {
    /// The limits of the data plane. Many small files come with one key, so a key has no limit beside its user's.
    pub fn limits(self) -> RateLimits {
        let Self { rate_data_global, rate_data_user, rate_data_bytes, strangers } = self;
        let (global, user, key, bytes) = (rate_data_global, rate_data_user, Rate(None), rate_data_bytes);
        RateLimits { plane: "data", global, user, key, bytes, strangers }
    }
}

/// Settings of `dataplane serve`.
#[derive(Args)]
pub struct ServeSettings {
    /// Listeners.
    #[command(flatten)]
    pub server: ServerConfig,
    /// Rate limits.
    #[command(flatten)]
    pub rates: RateSettings,
    /// PostgreSQL.
    #[command(flatten)]
    pub database: DatabaseConfig,
    /// Redis.
    #[command(flatten)]
    pub redis: LinkConfig,
    /// Blobs.
    #[command(flatten)]
    pub blobs: BlobSettings,
    /// Conversions.
    #[command(flatten)]
    pub conversion: ConversionSettings,

    /// Previews.
    #[command(flatten)]
    pub previews: PreviewSettings,

    /// The kind of deployment.
    #[command(flatten)]
    pub deployment: DeploymentSettings,

    /// Most bytes of all files in the projects of one owner.
    #[arg(long, env = "ATELIER_STORED_BYTES_LIMIT", value_name = "BYTES", default_value_t = 1 << 40)]
    pub stored_bytes_limit: u64,

    /// Log filter, for example `info,store=debug`.
    #[arg(long, env = "ATELIER_LOG", default_value = "info")]
    pub log: String,

    /// File with the public keys that verify grants (PEM); several during the rotation of a key.
    #[arg(long, env = "ATELIER_GRANT_PUBLIC_KEYS_FILE")]
    pub grant_public_keys_file: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::{BlobSettings, Blobs};
    use clap::{Args, FromArgMatches};

    fn open(arguments: &[&str]) -> Result<Blobs, String> {
        let command = BlobSettings::augment_args(clap::Command::new("test"));
        let matches = command.try_get_matches_from([&["test"], arguments].concat());
        let matches = matches.map_err(|error| error.to_string())?;
        BlobSettings::from_arg_matches(&matches).unwrap().open().map_err(|error| error.to_string())
    }

    #[test]
    fn only_a_folder_or_a_bucket_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("--blob-store=file://{}/blobs", folder.path().display());
        assert!(matches!(open(&[&url]), Ok(Blobs::Local(_))));
        assert!(matches!(open(&["--blob-store=s3://bucket/some/prefix"]), Ok(Blobs::S3(_))));
        for refused in [
            "--blob-store=ftp://x/y",
            "--blob-store=file://host/folder",
            "--blob-store=/folder",
            "--blob-store=s3:",
        ] {
            assert!(open(&[refused]).is_err(), "{refused}");
        }
        assert!(open(&["--blob-store=s3://bucket", "--s3-access-key-id=id"]).is_err());
    }

    #[test]
    fn debug_output_contains_no_secret() {
        let bucket =
            open(&["--blob-store=s3://b", "--s3-access-key-id=id", "--s3-secret-access-key=hush-hush"]);
        assert!(!format!("{:?}", bucket.unwrap()).contains("hush-hush"));
    }
}
