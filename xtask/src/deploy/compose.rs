//! The installation by Compose: its services and their settings.

use anyhow::Result;
use serde_json::Value;

use super::manifests::{at, entries, items};
use super::programs::{Programs, Settings};
use super::resources::AFTER_THE_GRACE_SECS;
use super::settings::SECRETS;

/// Compose's default of `stop_grace_period`.
const DEFAULT_GRACE_SECS: u64 = 10;

/// Every complaint about a Compose file.
///
/// # Errors
/// Invalid YAML.
pub(super) fn rules(text: &str, programs: &Programs) -> Result<Vec<String>> {
    let file: Value = serde_saphyr::from_str(text)?;
    let mut complaints = Vec::new();
    for (name, service) in entries(at(&file, "/services")) {
        let complaint = |what: String| format!("compose.yaml: {name}: {what}");
        for (variable, _) in
            entries(&service["environment"]).filter(|(variable, _)| variable.starts_with("ATELIER_"))
        {
            if !programs.know(variable) {
                complaints.push(complaint(format!("{variable} is no program's setting")));
            }
            if SECRETS.contains(&variable.as_str()) {
                complaints.push(complaint(format!("{variable} is a secret")));
            }
        }
        let waits_for =
            entries(&service["depends_on"]).filter(|(other, _)| at(&file, "/services").get(other).is_none());
        complaints
            .extend(waits_for.map(|(other, _)| complaint(format!("waits for the unknown service {other}"))));
        if let Some(own) = programs.of(name).and_then(|program| grace(program, service)) {
            let given =
                service["stop_grace_period"].as_str().and_then(|text| text.strip_suffix('s')?.parse().ok());
            let (given, needed) = (given.unwrap_or(DEFAULT_GRACE_SECS), own + AFTER_THE_GRACE_SECS);
            if given < needed {
                complaints
                    .push(complaint(format!("is killed after {given} s, and may need {needed} s to stop")));
            }
        }
        let secrets =
            items(&service["secrets"]).filter_map(|secret| secret.get("source").unwrap_or(secret).as_str());
        let missing = secrets.filter(|secret| at(&file, "/secrets").get(secret).is_none());
        complaints.extend(missing.map(|secret| complaint(format!("the secret {secret} is missing"))));
    }
    Ok(complaints)
}

/// The grace period of a program's requests.
fn grace(program: &Settings, service: &Value) -> Option<u64> {
    const NAME: &str = "ATELIER_SHUTDOWN_GRACE_SECS";
    let configured = at(service, "/environment").get(NAME).and_then(Value::as_str);
    configured.or_else(|| program.defaults.get(NAME)?.as_deref())?.parse().ok()
}

#[cfg(test)]
mod tests {
    use crate::deploy::programs::Programs;
    use crate::deploy::tests::SETTINGS;

    const VALID: &str = "
services:
  postgres: {}
  control:
    depends_on: { postgres: { condition: service_healthy } }
    environment: { ATELIER_DATA_URL: http://localhost, OTHER: x }
    secrets: [key]
    stop_grace_period: 45s
secrets: { key: { file: key } }
";

    fn complaints_after(from: &str, to: &str) -> Vec<String> {
        super::rules(&VALID.replace(from, to), &Programs::parse(SETTINGS)).unwrap()
    }

    #[test]
    fn a_valid_file_has_no_complaints() {
        assert_eq!(complaints_after("", ""), [""; 0]);
    }

    #[test]
    fn unknown_settings_secrets_and_services_are_refused() {
        for (from, to, said) in [
            ("ATELIER_DATA_URL", "ATELIER_DATUM_URL", "no program's setting"),
            ("ATELIER_DATA_URL", "ATELIER_DATABASE_URL", "is a secret"),
            ("depends_on: { postgres", "depends_on: { postgresql", "unknown service postgres"),
            ("45s", "40s", "may need 45 s"),
            ("stop_grace_period: 45s", "restart: always", "is killed after 10 s"),
            ("secrets: [key]", "secrets: [lock]", "secret lock is missing"),
        ] {
            let complaints = complaints_after(from, to);
            assert!(complaints.len() == 1 && complaints[0].contains(said), "{said}: {complaints:?}");
        }
    }
}
