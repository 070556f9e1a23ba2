//! Time and memory: what a pod gets has to be enough for what its program is told that it may take.

use serde_json::Value;

use super::programs::{Programs, Settings};
use super::set::{Set, Workload, at, bytes, items};
use super::settings::Environment;
use super::shape::PLANES;

const MIB: u64 = 1 << 20;
/// What a plane takes after the grace to close what is left (`STOP_SLACK` of `wire`, once for each port), and the control
/// plane to end its runs and hand its sessions over.
pub(super) const AFTER_THE_GRACE_SECS: u64 = 15;
/// What a gateway needs to hear that a pod is ending.
const SHORTEST_PRE_STOP_SECS: u64 = 5;
/// A commit and a merge of the largest size, each of up to 512 MiB (docs/operations.md).
const LARGE_CHANGES_BYTES: u64 = 1024 * MIB;
/// What Python takes beside the memory of the code (`INTERPRETER_BYTES` of `execution`).
const INTERPRETER_BYTES: u64 = 96 * MIB;
/// The data plane itself, with 64 uploads at a time (docs/performance.md: 4 MiB for each).
const UPLOADS_BYTES: u64 = 512 * MIB;
/// The largest file, which a conversion has beside its images where the store is a bucket.
const LARGEST_FILE_BYTES: u64 = 2048 * MIB;
/// Conversions have two lanes, each of so many at once.
const LANES: u64 = 2;

/// Every complaint about time and memory.
pub(super) fn rules(set: &Set, programs: &Programs) -> Vec<String> {
    let mut complaints = Vec::new();
    for workload in set.workloads() {
        for plane in PLANES {
            let (Some(container), Some(settings)) = (workload.container(plane), programs.of(plane)) else {
                continue;
            };
            let number = |name: &str| Environment::of(set, container).number(settings, name).unwrap_or(0);
            complaints.extend(grace(&workload, container, number("ATELIER_SHUTDOWN_GRACE_SECS")));
            let memory = match plane {
                "control" => of_control(number),
                _ => of_the_data_plane(number),
            };
            let limit = bytes(at(container, "/resources/limits/memory")).unwrap_or(0);
            if limit < memory {
                let mib = memory / MIB;
                complaints.push(
                    workload.says(format_args!("its memory limit is below the {mib} MiB of its settings")),
                );
            }
            if plane == "dataplane" {
                complaints.extend(temporary(&workload, container, (set, settings)));
            }
        }
    }
    complaints
}

/// The platform's patience is longer than the program's.
fn grace(workload: &Workload<'_>, container: &Value, own: u64) -> Option<String> {
    let pause = container.pointer("/lifecycle/preStop/sleep/seconds").and_then(Value::as_u64).unwrap_or(0);
    if pause < SHORTEST_PRE_STOP_SECS {
        return Some(workload.says("preStop sleeps too short for a gateway to hear of the end"));
    }
    let needed = pause + own + AFTER_THE_GRACE_SECS;
    let given = workload.pod()["terminationGracePeriodSeconds"].as_u64().unwrap_or(30);
    (given < needed)
        .then(|| workload.says(format_args!("is killed after {given} s, and may need {needed} s to stop")))
}

fn of_control(number: impl Fn(&str) -> u64) -> u64 {
    let execution = number("ATELIER_EXECUTION_MEMORY_MIB") * MIB + INTERPRETER_BYTES;
    number("ATELIER_EXECUTIONS") * execution + LARGE_CHANGES_BYTES
}

fn of_the_data_plane(number: impl Fn(&str) -> u64) -> u64 {
    LANES * number("ATELIER_CONVERSIONS_AT_ONCE") * number("ATELIER_CONVERSION_MEMORY_BYTES") + UPLOADS_BYTES
}

/// Images of pages, and on S3 the files that are converted, lie in `/tmp`.
fn temporary(
    workload: &Workload<'_>,
    container: &Value,
    (set, settings): (&Set, &Settings),
) -> Option<String> {
    let environment = Environment::of(set, container);
    let number = |name: &str| environment.number(settings, name).unwrap_or(0);
    let bucket = environment.text(settings, "ATELIER_BLOB_STORE").is_some_and(|url| url.starts_with("s3:"));
    let each = number("ATELIER_CONVERSION_IMAGES_BYTES") + if bucket { LARGEST_FILE_BYTES } else { 0 };
    let needed = LANES * number("ATELIER_CONVERSIONS_AT_ONCE") * each;
    let mount = items(&container["volumeMounts"]).find(|mount| mount["mountPath"] == "/tmp");
    let volume = mount
        .and_then(|mount| items(&workload.pod()["volumes"]).find(|volume| volume["name"] == mount["name"]));
    let size = volume.and_then(|volume| bytes(at(volume, "/emptyDir/sizeLimit"))).unwrap_or(0);
    let limit = bytes(at(container, "/resources/limits/ephemeral-storage")).unwrap_or(0);
    let mib = needed / MIB;
    (size.min(limit) < needed).then(|| {
        workload.says(format_args!(
            "/tmp, or its ephemeral storage, is smaller than the {mib} MiB of its settings"
        ))
    })
}

#[cfg(test)]
mod tests {
    use crate::deploy::tests::refused;

    #[test]
    fn a_plane_has_the_time_that_it_takes_to_stop() {
        refused("terminationGracePeriodSeconds: 630", "terminationGracePeriodSeconds: 600", "may need 625 s");
        refused("terminationGracePeriodSeconds: 630\n", "\n", "after 30 s");
        refused("sleep: { seconds: 10 }", "sleep: { seconds: 1 }", "preStop");
    }

    #[test]
    fn the_memory_limit_holds_what_conversions_may_take() {
        let more = "ATELIER_CONVERSIONS_AT_ONCE: \"1\"\n  ATELIER_CONVERSION_MEMORY_BYTES: \"4294967296\"";
        refused("ATELIER_CONVERSIONS_AT_ONCE: \"1\"", more, "below the 8704 MiB");
    }

    #[test]
    fn the_folder_of_temporary_files_holds_images_and_files() {
        refused("sizeLimit: 7Gi", "sizeLimit: 2Gi", "6144 MiB");
        refused("ephemeral-storage: 8Gi", "ephemeral-storage: 5Gi", "6144 MiB");
        refused("mountPath: /tmp", "mountPath: /scratch", "6144 MiB");
    }
}
