//! Time and memory: the limits of a pod must cover the settings of its program.

use serde_json::Value;

use super::manifests::{Manifests, Workload, at, bytes, items};
use super::programs::{Programs, Settings};
use super::settings::Environment;
use super::shape::PLANES;

const MIB: u64 = 1 << 20;
/// Time after the grace period in which a plane closes the remaining connections (`STOP_SLACK` of `wire`, once for each
/// port), and the control plane ends its runs and hands its sessions over.
pub(super) const AFTER_THE_GRACE_SECS: u64 = 15;
/// Time until a gateway learns that a pod is ending.
const SHORTEST_PRE_STOP_SECS: u64 = 5;
/// A commit and a merge of the largest size, of up to 512 MiB each (docs/operations.md).
const LARGE_CHANGES_BYTES: u64 = 1024 * MIB;
/// Memory of Python beside that of the code (`INTERPRETER_BYTES` of `execution`).
const INTERPRETER_BYTES: u64 = 96 * MIB;
/// Memory of the control plane for the messages of one execution (`BUDGET_BYTES` of `execution`).
const MESSAGES_BYTES: u64 = 40 * MIB;
/// Memory of the data plane with 64 concurrent uploads (docs/performance.md: 4 MiB each).
const UPLOADS_BYTES: u64 = 512 * MIB;
/// The largest file. With a bucket a conversion keeps a copy of it beside its images.
const LARGEST_FILE_BYTES: u64 = 2048 * MIB;
/// Most bytes of the images of one conversion, as the data plane limits them.
const IMAGES_MAX_BYTES: u64 = 1 << 30;
/// Lanes of conversions, and that of previews, which have the same limits. `ATELIER_CONVERSIONS_AT_ONCE` is the limit of
/// each.
const CONVERSION_LANES: u64 = 2;
const PREVIEW_LANES: u64 = 1;

/// Every complaint about time and memory.
pub(super) fn rules(manifests: &Manifests, programs: &Programs) -> Vec<String> {
    let mut complaints = Vec::new();
    for workload in manifests.workloads() {
        for plane in PLANES {
            let (Some(container), Some(settings)) = (workload.container(plane), programs.of(plane)) else {
                continue;
            };
            let number =
                |name: &str| Environment::of(manifests, container).number(settings, name).unwrap_or(0);
            complaints.extend(grace(&workload, container, number("ATELIER_SHUTDOWN_GRACE_SECS")));
            let memory = match plane {
                "control" => control_memory(number),
                _ => data_plane_memory(number),
            };
            let limit = bytes(at(container, "/resources/limits/memory")).unwrap_or(0);
            if limit < memory {
                let mib = memory / MIB;
                complaints.push(
                    workload
                        .complaint(format_args!("its memory limit is below the {mib} MiB of its settings")),
                );
            }
            if plane == "dataplane" {
                complaints.extend(temporary(&workload, container, (manifests, settings)));
            }
        }
    }
    complaints
}

/// A termination grace period shorter than the program's.
fn grace(workload: &Workload<'_>, container: &Value, own: u64) -> Option<String> {
    let pause = container.pointer("/lifecycle/preStop/sleep/seconds").and_then(Value::as_u64).unwrap_or(0);
    if pause < SHORTEST_PRE_STOP_SECS {
        return Some(workload.complaint("preStop ends before a gateway learns of the end"));
    }
    let needed = pause + own + AFTER_THE_GRACE_SECS;
    let given = workload.pod()["terminationGracePeriodSeconds"].as_u64().unwrap_or(30);
    (given < needed).then(|| {
        workload.complaint(format_args!("is killed after {given} s, and may need {needed} s to stop"))
    })
}

fn control_memory(number: impl Fn(&str) -> u64) -> u64 {
    let execution = number("ATELIER_EXECUTION_MEMORY_MIB") * MIB + INTERPRETER_BYTES + MESSAGES_BYTES;
    number("ATELIER_EXECUTIONS") * execution + LARGE_CHANGES_BYTES
}

fn data_plane_memory(number: impl Fn(&str) -> u64) -> u64 {
    let workers = (CONVERSION_LANES + PREVIEW_LANES) * number("ATELIER_CONVERSIONS_AT_ONCE");
    workers * number("ATELIER_CONVERSION_MEMORY_BYTES") + UPLOADS_BYTES
}

/// A `/tmp` too small for images of pages and, with a bucket, for the converted files.
fn temporary(
    workload: &Workload<'_>,
    container: &Value,
    (manifests, settings): (&Manifests, &Settings),
) -> Option<String> {
    let environment = Environment::of(manifests, container);
    let number = |name: &str| environment.number(settings, name).unwrap_or(0);
    let bucket = environment.text(settings, "ATELIER_BLOB_STORE").is_some_and(|url| url.starts_with("s3:"));
    let copy = if bucket { LARGEST_FILE_BYTES } else { 0 };
    let lanes = CONVERSION_LANES * (IMAGES_MAX_BYTES + copy) + PREVIEW_LANES * copy;
    let needed = lanes * number("ATELIER_CONVERSIONS_AT_ONCE");
    let mount = items(&container["volumeMounts"]).find(|mount| mount["mountPath"] == "/tmp");
    let volume = mount
        .and_then(|mount| items(&workload.pod()["volumes"]).find(|volume| volume["name"] == mount["name"]));
    let size = volume.and_then(|volume| bytes(at(volume, "/emptyDir/sizeLimit"))).unwrap_or(0);
    let limit = bytes(at(container, "/resources/limits/ephemeral-storage")).unwrap_or(0);
    let mib = needed / MIB;
    (size.min(limit) < needed).then(|| {
        workload.complaint(format_args!(
            "/tmp, or its ephemeral storage, is smaller than the {mib} MiB of its settings"
        ))
    })
}

#[cfg(test)]
mod tests {
    use crate::deploy::tests::refused;

    #[test]
    fn a_grace_period_shorter_than_the_programs_is_refused() {
        refused("terminationGracePeriodSeconds: 630", "terminationGracePeriodSeconds: 600", "may need 625 s");
        refused("terminationGracePeriodSeconds: 630\n", "\n", "after 30 s");
        refused("sleep: { seconds: 10 }", "sleep: { seconds: 1 }", "preStop");
    }

    #[test]
    fn a_memory_limit_below_the_settings_is_refused() {
        let more = "ATELIER_CONVERSIONS_AT_ONCE: \"1\"\n  ATELIER_CONVERSION_MEMORY_BYTES: \"4294967296\"";
        refused("ATELIER_CONVERSIONS_AT_ONCE: \"1\"", more, "below the 12800 MiB");
    }

    #[test]
    fn a_temporary_folder_too_small_for_conversions_is_refused() {
        refused("sizeLimit: 9Gi", "sizeLimit: 2Gi", "8192 MiB");
        refused("ephemeral-storage: 10Gi", "ephemeral-storage: 5Gi", "8192 MiB");
        refused("mountPath: /tmp", "mountPath: /scratch", "8192 MiB");
    }
}
