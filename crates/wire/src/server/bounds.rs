//! The kind of a deployment, and the constants of both planes that tests change.
//!
//! An operator sets none of these. They stand together, because one hidden setting changes them, outside of production.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde::Deserialize;
use serde_json::{Map, Value};
use store::DatabaseConfig;

/// The deployment of a process.
#[derive(Args, Clone, Copy, Debug)]
pub struct DeploymentSettings {
    /// Kind of deployment: `development` allows the development issuer.
    #[arg(long, env = "ATELIER_ENVIRONMENT", value_enum, default_value_t = Environment::Production)]
    pub environment: Environment,
    /// Other values of bounds, for tests: `maintenance_secs=1,run_steps=3`. Refused in production.
    #[arg(long, env = "ATELIER_TEST_BOUNDS", hide = true)]
    test_bounds: Option<Bounds>,
}

/// A kind of deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Environment {
    /// A developer's machine or a test.
    Development,
    /// Serving users.
    Production,
}

/// Constants that tests change, of both planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bounds {
    /// Part of the grace period in which a stopping process still takes requests, and answers each with `Connection:
    /// close`, in seconds. It ends early once no connection has been open for a second.
    pub shutdown_notice_secs: u64,
    /// Longest that PostgreSQL may work on one statement, in seconds.
    pub statement_secs: u64,
    /// Time between two runs of maintenance (expired records, lapsed sessions), in seconds.
    pub maintenance_secs: u64,
    /// Time between two checks that the reader of an event stream may still read it, in seconds.
    pub event_check_secs: u64,
    /// Most event streams of one user in one process.
    pub streams_per_user: usize,
    /// Most open sessions of a user.
    pub sessions_per_user: u32,
    /// Most branches of a project.
    pub branches_per_project: u32,
    /// Most organizations that a user owns. Operators may create more.
    pub organizations_per_user: u32,
    /// Most API keys of a user that can be used. Operators may issue more.
    pub api_keys_per_user: u32,
    /// Largest body of a batch of edits of objects, in bytes; other bodies are limited to 1 MiB.
    pub batch_body_bytes: u64,
    /// Most mails of the deployment in a day. Further invitations are made without one.
    pub daily_mails: u32,
    /// Longest silence of a model before its run fails, in seconds.
    pub model_silence_secs: u64,
    /// Most calls of the model in one run.
    pub run_steps: u32,
    /// Longest time of one run, in seconds.
    pub run_secs: u64,
    /// Longest time of an execution, and its processor time, in seconds.
    pub execution_secs: u64,
    /// Seconds without a new byte after which a resumable upload expires.
    pub resumable_expiry_secs: u32,
    /// Most concurrent uploads of one session in one process.
    pub uploads_per_session: u32,
    /// Seconds between two sweeps of unreferenced blobs.
    pub sweep_interval_secs: u32,
    /// Age at which an unreferenced blob is removed, in seconds. It exceeds the time of any upload from its last byte to its
    /// answer, including conversion.
    pub sweep_grace_secs: u32,
    /// Longest conversion of one file, in seconds. A file that takes longer is kept unconverted.
    pub conversion_secs: u32,
    /// Most processor time of one conversion, in seconds, summed over its threads.
    pub conversion_processor_secs: u32,
    /// Longest wait of an upload for its conversion, in seconds. The file is then converted later.
    pub conversion_wait_secs: u32,
    /// Resolution of page images, in dots per inch.
    pub resolution_dpi: u16,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            shutdown_notice_secs: 5,
            statement_secs: DatabaseConfig::STATEMENT_SECS,
            maintenance_secs: 3_600,
            event_check_secs: 30,
            streams_per_user: 2_000,
            sessions_per_user: 10_000,
            branches_per_project: 10_000,
            organizations_per_user: 100,
            api_keys_per_user: 100,
            batch_body_bytes: 16 * 1024 * 1024,
            daily_mails: 10_000,
            model_silence_secs: 120,
            run_steps: 50,
            run_secs: 3_600,
            execution_secs: 60,
            resumable_expiry_secs: 86_400,
            uploads_per_session: 32,
            sweep_interval_secs: 600,
            sweep_grace_secs: 3_600,
            conversion_secs: 60,
            conversion_processor_secs: 120,
            conversion_wait_secs: 60,
            resolution_dpi: 150,
        }
    }
}

/// A bound that doesn't exist, or a value that isn't one.
#[derive(Debug, thiserror::Error)]
#[error("not NAME=NUMBER of a bound: {0}")]
pub struct BoundsError(String);

impl FromStr for Bounds {
    type Err = BoundsError;

    fn from_str(text: &str) -> Result<Self, BoundsError> {
        let mut values = Map::new();
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let number =
                pair.split_once('=').and_then(|(name, number)| Some((name, number.parse::<u64>().ok()?)));
            let (name, number) = number.ok_or_else(|| BoundsError(pair.to_owned()))?;
            values.insert(name.to_owned(), number.into());
        }
        serde_json::from_value(Value::Object(values)).map_err(|error| BoundsError(error.to_string()))
    }
}

impl DeploymentSettings {
    /// The bounds of this process.
    ///
    /// # Errors
    /// They were changed in production.
    pub fn bounds(self) -> Result<Bounds, BoundsError> {
        match (self.environment, self.test_bounds) {
            (Environment::Production, Some(_)) => {
                Err(BoundsError("ATELIER_TEST_BOUNDS is only for ATELIER_ENVIRONMENT=development".to_owned()))
            }
            (_, changed) => Ok(changed.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, DeploymentSettings, Environment};

    #[test]
    fn a_bound_is_changed_by_its_name_alone() {
        let changed: Bounds = "run_steps=3,maintenance_secs=1".parse().unwrap();
        assert_eq!(changed, Bounds { run_steps: 3, maintenance_secs: 1, ..Bounds::default() });
        for wrong in ["steps=3", "run_steps", "run_steps=-1", "run_steps=x", "resolution_dpi=70000"] {
            assert!(wrong.parse::<Bounds>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn production_has_the_constants_alone() {
        let of = |environment, test_bounds| DeploymentSettings { environment, test_bounds }.bounds();
        let changed = Bounds { run_steps: 3, ..Bounds::default() };
        assert!(of(Environment::Production, Some(changed)).is_err());
        assert_eq!(of(Environment::Production, None).unwrap(), Bounds::default());
        assert_eq!(of(Environment::Development, Some(changed)).unwrap(), changed);
    }
}
