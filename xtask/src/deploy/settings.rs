//! Settings in manifests: only known ones, all required ones, and secrets only from Secrets.

use std::collections::BTreeMap;

use serde_json::Value;

use super::manifests::{Manifests, Workload, at, entries, items};
use super::programs::{Programs, Settings};
use super::shape::PLANES;

/// Settings that are secret or contain a password.
pub(super) const SECRETS: [&str; 4] =
    ["ATELIER_DATABASE_URL", "ATELIER_REDIS_URL", "ATELIER_S3_ACCESS_KEY_ID", "ATELIER_S3_SECRET_ACCESS_KEY"];
/// Optional settings that an installation needs to be of use to clients.
const EXPECTED: [(&str, &[&str]); 2] = [
    ("control", &["ATELIER_PUBLIC_URL", "ATELIER_SECRETS_KEY_FILE", "ATELIER_WORKERS"]),
    ("dataplane", &["ATELIER_PUBLIC_URL", "ATELIER_WORKERS"]),
];
/// Settings of an installation behind a gateway, and of one with a bucket.
const BEHIND_A_GATEWAY: &str = "ATELIER_TRUSTED_PROXIES";
const BUCKET: [&str; 2] = ["ATELIER_S3_ACCESS_KEY_ID", "ATELIER_S3_SECRET_ACCESS_KEY"];
/// Listeners, and the names of their ports in manifests.
const LISTENERS: [(&str, &str); 2] = [("ATELIER_LISTEN", "http"), ("ATELIER_OPS_LISTEN", "ops")];
/// The migration's one setting.
const MIGRATION: (&str, &str) = ("migrate", "ATELIER_DATABASE_URL");
/// Texts by which a secret is recognised in a ConfigMap.
const SECRET_TEXTS: [&str; 2] = ["PRIVATE KEY", "svc_ak_"];

/// The environment of a container.
pub(super) struct Environment {
    /// Values by name; `None` for one from a Secret.
    variables: BTreeMap<String, Option<String>>,
}

impl Environment {
    /// Reads the container's own list and the ConfigMaps that it names.
    pub(super) fn of(manifests: &Manifests, container: &Value) -> Self {
        let mut variables = BTreeMap::new();
        for from in items(&container["envFrom"]) {
            let map = manifests.find("ConfigMap", at(from, "/configMapRef/name"));
            for (name, value) in map.into_iter().flat_map(|map| entries(&map["data"])) {
                variables.insert(name.clone(), value.as_str().map(str::to_owned));
            }
        }
        for variable in items(&container["env"]) {
            if let Some(name) = variable["name"].as_str() {
                variables.insert(name.to_owned(), variable["value"].as_str().map(str::to_owned));
            }
        }
        Self { variables }
    }

    /// The value of a setting, or its default.
    pub(super) fn text<'a>(&'a self, settings: &'a Settings, name: &str) -> Option<&'a str> {
        let default = || settings.defaults.get(name).and_then(Option::as_deref);
        self.variables.get(name).and_then(Option::as_deref).or_else(default)
    }

    /// The value of a setting that is a number, or its default.
    pub(super) fn number(&self, settings: &Settings, name: &str) -> Option<u64> {
        self.text(settings, name)?.parse().ok()
    }

    fn has(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }
}

/// Every complaint about settings.
pub(super) fn rules(manifests: &Manifests, programs: &Programs) -> Vec<String> {
    let mut complaints: Vec<String> = manifests.of("ConfigMap").flat_map(public_secrets).collect();
    for workload in manifests.workloads() {
        for plane in PLANES {
            let (container, settings) = (workload.container(plane), programs.of(plane));
            if let (Some(container), Some(settings)) = (container, settings) {
                let environment = Environment::of(manifests, container);
                complaints.extend(known(&workload, &environment, settings));
                complaints.extend(complete(manifests, &workload, &environment, (plane, settings)));
                complaints.extend(files(&workload, container, &environment));
                complaints.extend(listeners(&workload, &environment));
            }
        }
        if let Some(container) = workload.container(MIGRATION.0) {
            let environment = Environment::of(manifests, container);
            if environment.variables.keys().ne([MIGRATION.1]) {
                complaints.push(workload.complaint(format_args!("a migration takes {} alone", MIGRATION.1)));
            }
        }
        complaints.extend(workload.containers().flat_map(|container| plain_secrets(&workload, container)));
    }
    complaints
}

/// Secrets in a ConfigMap.
fn public_secrets(map: &Value) -> Vec<String> {
    let secret = |(name, value): &(&String, &Value)| {
        let value = value.as_str().unwrap_or_default();
        SECRETS.contains(&name.as_str())
            || SECRET_TEXTS.iter().any(|text| value.contains(text))
            || has_password(value)
    };
    let found = entries(&map["data"]).filter(secret);
    found
        .map(|(name, _)| super::manifests::complaint_about(map, format_args!("{name} is a secret")))
        .collect()
}

/// True for a URL with a password: `scheme://user:password@host`.
fn has_password(text: &str) -> bool {
    let authority = text.split_once("://").map(|(_, rest)| rest.split(['/', '?']).next().unwrap_or_default());
    authority.and_then(|authority| authority.rsplit_once('@')).is_some_and(|(user, _)| user.contains(':'))
}

fn known(workload: &Workload<'_>, environment: &Environment, settings: &Settings) -> Vec<String> {
    let unknown = environment.variables.keys().filter(|name| !settings.defaults.contains_key(*name));
    unknown.map(|name| workload.complaint(format_args!("{name} is not a setting of the program"))).collect()
}

fn complete(
    manifests: &Manifests,
    workload: &Workload<'_>,
    environment: &Environment,
    (plane, settings): (&str, &Settings),
) -> Vec<String> {
    let expected =
        EXPECTED.iter().filter(|(program, _)| *program == plane).flat_map(|(_, names)| names.iter());
    let mut wanted: Vec<&str> =
        settings.required.iter().map(String::as_str).chain(expected.copied()).collect();
    if manifests.of("HTTPRoute").chain(manifests.of("Ingress")).next().is_some() {
        wanted.push(BEHIND_A_GATEWAY);
    }
    let store = environment.text(settings, "ATELIER_BLOB_STORE");
    if store.is_some_and(|url| url.starts_with("s3:")) {
        wanted.extend(BUCKET);
    }
    let missing = wanted.into_iter().filter(|name| !environment.has(name));
    missing.map(|name| workload.complaint(format_args!("{name} is not set"))).collect()
}

/// Files named by settings and outside of every mount.
fn files(workload: &Workload<'_>, container: &Value, environment: &Environment) -> Vec<String> {
    let mounted = |file: &str| {
        let mut folders = items(&container["volumeMounts"]).filter_map(|mount| mount["mountPath"].as_str());
        folders.any(|folder| file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    };
    let named = environment.variables.iter().filter(|(name, _)| name.ends_with("_FILE"));
    let missing = named.filter(|(_, file)| !file.as_deref().is_some_and(mounted));
    missing
        .map(|(name, _)| workload.complaint(format_args!("the file of {name} is outside of every mount")))
        .collect()
}

fn listeners(workload: &Workload<'_>, environment: &Environment) -> Vec<String> {
    let ports = workload.ports();
    let wrong = LISTENERS.iter().filter(|(name, port)| {
        let address =
            environment.variables.get(*name).and_then(Option::as_deref).and_then(|it| it.rsplit_once(':'));
        let reached = address.is_some_and(|(host, number)| {
            !host.starts_with("127.")
                && host != "localhost"
                && number.parse() == Ok(ports.get(port).copied().unwrap_or(0))
        });
        !reached
    });
    wrong
        .map(|(name, port)| {
            workload.complaint(format_args!("{name} doesn't listen at its port {port} for other machines"))
        })
        .collect()
}

/// Secret settings that don't come from a Secret by name and key.
fn plain_secrets(workload: &Workload<'_>, container: &Value) -> Vec<String> {
    let mut complaints = Vec::new();
    for variable in items(&container["env"]) {
        let value = variable["value"].as_str().unwrap_or_default();
        let named = variable["name"].as_str().is_some_and(|name| {
            SECRETS.contains(&name) && variable.pointer("/valueFrom/secretKeyRef/key").is_none()
        });
        if named || has_password(value) {
            complaints
                .push(workload.complaint(format_args!("{} doesn't come from a Secret", variable["name"])));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use crate::deploy::tests::refused;

    #[test]
    fn an_unknown_setting_is_refused() {
        refused(
            "ATELIER_WORKERS: \"4\"",
            "ATELIER_WORKERS: \"4\"\n  ATELIER_WORKER: \"4\"",
            "ATELIER_WORKER is not a setting",
        );
        refused(
            "ATELIER_WORKERS: \"4\"",
            "ATELIER_WORKERS: \"4\"\n  ATELIER_RUNS: \"4\"",
            "ATELIER_RUNS is not a setting",
        );
    }

    #[test]
    fn a_missing_setting_is_refused() {
        refused("  ATELIER_PUBLIC_URL: https://files.example.org\n", "", "ATELIER_PUBLIC_URL is not set");
        refused("  ATELIER_TRUSTED_PROXIES: \"1\"\n", "", "ATELIER_TRUSTED_PROXIES is not set");
        let of_the_bucket = "            - { name: ATELIER_S3_ACCESS_KEY_ID, valueFrom: { secretKeyRef: { name: dataplane, key: s3-id } } }\n";
        refused(of_the_bucket, "", "ATELIER_S3_ACCESS_KEY_ID is not set");
        refused(
            "  ATELIER_GRANT_PUBLIC_KEYS_FILE: /etc/atelier/keys/grant-public.pem\n",
            "",
            "KEYS_FILE is not set",
        );
    }

    #[test]
    fn a_file_outside_of_every_mount_is_refused() {
        refused("mountPath: /etc/atelier/keys", "mountPath: /etc/keys", "outside of every mount");
    }

    #[test]
    fn a_listener_at_another_port_is_refused() {
        refused(
            "ATELIER_OPS_LISTEN: 0.0.0.0:9080",
            "ATELIER_OPS_LISTEN: 127.0.0.1:9080",
            "ATELIER_OPS_LISTEN",
        );
        refused("ATELIER_LISTEN: 0.0.0.0:8080", "ATELIER_LISTEN: 0.0.0.0:80", "ATELIER_LISTEN");
    }

    #[test]
    fn a_secret_outside_of_a_secret_is_refused() {
        let by_reference = "valueFrom: { secretKeyRef: { name: dataplane, key: redis-url } }";
        refused(by_reference, "value: redis://redis", "ATELIER_REDIS_URL\" doesn't come from a Secret");
        refused(
            "ATELIER_WORKERS: \"4\"",
            "ATELIER_WORKERS: \"4\"\n  ATELIER_S3_ENDPOINT: https://a:b@c",
            "ENDPOINT is a secret",
        );
        refused("notes: nothing", "notes: -----BEGIN PRIVATE KEY-----", "notes is a secret");
    }

    #[test]
    fn a_migration_with_another_setting_is_refused() {
        refused(
            "name: ATELIER_DATABASE_URL # migrate",
            "name: ATELIER_DATA_URL",
            "takes ATELIER_DATABASE_URL alone",
        );
    }
}
