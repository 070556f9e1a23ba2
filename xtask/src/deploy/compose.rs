//! The installation without Kubernetes: its services and their settings.

use anyhow::Result;
use serde_json::Value;

use super::programs::Programs;
use super::set::{at, entries, items};
use super::settings::SECRETS;

/// Every complaint about a file of Compose.
///
/// # Errors
/// It is no YAML.
pub(super) fn rules(text: &str, programs: &Programs) -> Result<Vec<String>> {
    let file: Value = serde_saphyr::from_str(text)?;
    let mut complaints = Vec::new();
    for (name, service) in entries(at(&file, "/services")) {
        let says = |what: String| format!("compose.yaml: {name}: {what}");
        for (variable, _) in
            entries(&service["environment"]).filter(|(variable, _)| variable.starts_with("ATELIER_"))
        {
            if !programs.know(variable) {
                complaints.push(says(format!("{variable} is no program's setting")));
            }
            if SECRETS.contains(&variable.as_str()) {
                complaints.push(says(format!("{variable} is a secret")));
            }
        }
        let waits_for =
            entries(&service["depends_on"]).filter(|(other, _)| at(&file, "/services").get(other).is_none());
        complaints.extend(waits_for.map(|(other, _)| says(format!("waits for {other}, which there is not"))));
        let secrets =
            items(&service["secrets"]).filter_map(|secret| secret.get("source").unwrap_or(secret).as_str());
        let missing = secrets.filter(|secret| at(&file, "/secrets").get(secret).is_none());
        complaints.extend(missing.map(|secret| says(format!("there is no secret {secret}"))));
    }
    Ok(complaints)
}

#[cfg(test)]
mod tests {
    use crate::deploy::programs::Programs;
    use crate::deploy::tests::SETTINGS;

    const SOUND: &str = "
services:
  postgres: {}
  control:
    depends_on: { postgres: { condition: service_healthy } }
    environment: { ATELIER_DATA_URL: http://localhost, OTHER: x }
    secrets: [key]
secrets: { key: { file: key } }
";

    fn after(from: &str, to: &str) -> Vec<String> {
        super::rules(&SOUND.replace(from, to), &Programs::parse(SETTINGS)).unwrap()
    }

    #[test]
    fn what_is_sound_is_taken() {
        assert_eq!(after("", ""), [""; 0]);
    }

    #[test]
    fn settings_secrets_and_services_are_such_that_there_are() {
        for (from, to, said) in [
            ("ATELIER_DATA_URL", "ATELIER_DATUM_URL", "no program's setting"),
            ("ATELIER_DATA_URL", "ATELIER_DATABASE_URL", "is a secret"),
            ("depends_on: { postgres", "depends_on: { postgresql", "which there is not"),
            ("secrets: [key]", "secrets: [lock]", "no secret lock"),
        ] {
            let complaints = after(from, to);
            assert!(complaints.len() == 1 && complaints[0].contains(said), "{said}: {complaints:?}");
        }
    }
}
