//! Alerts of `deploy/`, fired by promtool.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const ALERTS: &str = include_str!("../../deploy/kubernetes/monitoring/alerts.yaml");

#[test]
fn the_alert_that_a_plane_is_gone_names_it() {
    let Some(promtool) = promtool() else { return };
    let control = r#"up{app_kubernetes_io_name="control",pod="c1"}"#;
    let dataplane = r#"up{app_kubernetes_io_name="dataplane",pod="d1"}"#;
    let tests: Vec<Value> = [
        (vec![(control, 1), (dataplane, 1)], vec![]),
        (vec![(control, 1)], vec!["dataplane"]),
        (vec![(control, 1), (dataplane, 0)], vec!["dataplane"]),
        (vec![(dataplane, 1)], vec!["control"]),
        (vec![("other", 1)], vec!["control", "dataplane"]),
    ]
    .into_iter()
    .map(|(series, gone)| {
        let input = |(series, value): (&str, u8)| json!({ "series": series, "values": format!("{value}x30") });
        let alert = |plane: &str| {
            json!({
                "exp_labels": { "severity": "critical", "app_kubernetes_io_name": plane },
                "exp_annotations": { "summary": format!("No {plane} process answers on its operations port.") },
            })
        };
        json!({
            "interval": "1m",
            "input_series": series.into_iter().map(input).collect::<Vec<_>>(),
            "alert_rule_test": [{
                "eval_time": "10m",
                "alertname": "AtelierIsGone",
                "exp_alerts": gone.into_iter().map(alert).collect::<Vec<_>>(),
            }],
        })
    })
    .collect();

    // JSON is YAML, too.
    let folder = tempfile::tempdir().unwrap();
    let alerts: Value = serde_saphyr::from_str(ALERTS).unwrap();
    fs::write(folder.path().join("rules.yaml"), alerts["spec"].to_string()).unwrap();
    let tests = json!({ "rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": tests });
    fs::write(folder.path().join("tests.yaml"), tests.to_string()).unwrap();
    let tested =
        Command::new(promtool).args(["test", "rules", "tests.yaml"]).current_dir(&folder).output().unwrap();
    let told = [tested.stdout, tested.stderr].concat();
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&told));
}

/// promtool of this machine, or that of Debian's package, unpacked below `target`. Without either it prints that the
/// test is skipped.
fn promtool() -> Option<PathBuf> {
    if succeeds(Command::new("promtool").arg("--version")) {
        return Some(PathBuf::from("promtool"));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prometheus");
    let program = folder.join("usr/bin/promtool");
    fs::create_dir_all(&folder).unwrap();
    let unpack = "apt-get download prometheus && dpkg-deb -x prometheus_*.deb .";
    if program.exists() || succeeds(Command::new("sh").args(["-c", unpack]).current_dir(&folder)) {
        return Some(program);
    }
    eprintln!("NOT TESTED: no promtool, and its package can't be downloaded");
    None
}

fn succeeds(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
