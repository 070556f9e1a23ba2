//! How pods are fenced in and asked after, whatever they run.

use serde_json::{Value, json};

use super::set::{Set, Workload, at, entries, items};

/// What every pod says, and every container, at which place.
const POD: [(&str, bool); 3] = [
    ("/automountServiceAccountToken", false),
    ("/enableServiceLinks", false),
    ("/securityContext/runAsNonRoot", true),
];
const CONTAINER: [(&str, bool); 2] =
    [("/securityContext/allowPrivilegeEscalation", false), ("/securityContext/readOnlyRootFilesystem", true)];
/// What no pod may have of its node.
const OF_THE_NODE: [&str; 4] = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"];
/// What each container reserves, and what it may not exceed.
const RESOURCES: [&str; 5] = [
    "/requests/cpu",
    "/requests/memory",
    "/requests/ephemeral-storage",
    "/limits/memory",
    "/limits/ephemeral-storage",
];
/// The planes' probes, and what each asks of the operations port. Only readiness may look at other services: a restart
/// would not bring those back.
const PROBES: [(&str, &str); 3] =
    [("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")];

/// The programs that serve, which are the names of their containers.
pub(super) const PLANES: [&str; 2] = ["control", "dataplane"];

/// Every complaint about pods and containers.
pub(super) fn rules(set: &Set) -> Vec<String> {
    let mut complaints = Vec::new();
    for workload in set.workloads() {
        complaints.extend(fenced(&workload));
        for container in workload.containers() {
            complaints.extend(confined(&workload, container));
            complaints.extend(bounded(&workload, container));
            complaints.extend(versioned(&workload, container));
        }
        complaints.extend(volumes(&workload));
        complaints.extend(PLANES.iter().flat_map(|plane| asked(&workload, plane)));
    }
    complaints
}

fn fenced(workload: &Workload<'_>) -> Vec<String> {
    let pod = workload.pod();
    let expected = POD.iter().filter(|(place, value)| pod.pointer(place) != Some(&json!(value)));
    let mut complaints: Vec<String> = expected
        .map(|(place, value)| workload.says(format_args!("{place} of its pods is not {value}")))
        .collect();
    if pod.pointer("/securityContext/seccompProfile/type") != Some(&json!("RuntimeDefault")) {
        complaints.push(workload.says("its pods have no seccomp profile RuntimeDefault"));
    }
    let shared = OF_THE_NODE.iter().filter(|key| pod[**key] == true);
    complaints.extend(shared.map(|key| workload.says(format_args!("its pods have {key}"))));
    complaints
}

fn confined(workload: &Workload<'_>, container: &Value) -> Vec<String> {
    let expected = CONTAINER.iter().filter(|(place, value)| container.pointer(place) != Some(&json!(value)));
    let mut complaints: Vec<String> = expected
        .map(|(place, value)| workload.says(format_args!("{place} of {} is not {value}", container["name"])))
        .collect();
    let context = &container["securityContext"];
    if context["capabilities"] != json!({ "drop": ["ALL"] }) {
        complaints.push(workload.says(format_args!("{} doesn't drop all capabilities", container["name"])));
    }
    if context["privileged"] == true || !context["seccompProfile"].is_null() {
        complaints.push(workload.says(format_args!("{} has rights of its own", container["name"])));
    }
    complaints
}

fn bounded(workload: &Workload<'_>, container: &Value) -> Vec<String> {
    let missing = RESOURCES.iter().filter(|place| container["resources"].pointer(place).is_none());
    missing
        .map(|place| workload.says(format_args!("{} has no {place} of resources", container["name"])))
        .collect()
}

/// What runs must be told from the manifest.
fn versioned(workload: &Workload<'_>, container: &Value) -> Option<String> {
    let image = container["image"].as_str().unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default();
    let version = name.split_once([':', '@']).map(|(_, version)| version);
    let moves = version.is_none_or(|version| version == "latest");
    moves.then(|| workload.says(format_args!("the image of {} is whatever is the latest", container["name"])))
}

fn volumes(workload: &Workload<'_>) -> Vec<String> {
    let mut complaints = Vec::new();
    for volume in items(&workload.pod()["volumes"]) {
        let name = &volume["name"];
        if volume.get("emptyDir").is_some_and(|folder| folder["sizeLimit"].is_null()) {
            complaints.push(workload.says(format_args!("the volume {name} has no sizeLimit")));
        }
        if entries(volume).any(|(kind, _)| kind == "hostPath") {
            complaints.push(workload.says(format_args!("the volume {name} is a folder of the node")));
        }
    }
    complaints
}

/// A plane's probes are those that it answers, on the port for operations.
fn asked(workload: &Workload<'_>, plane: &str) -> Vec<String> {
    let Some(container) = workload.container(plane) else { return Vec::new() };
    let wrong = PROBES.iter().filter(|(probe, path)| {
        let get = at(container, &format!("/{probe}/httpGet"));
        get["path"] != **path || get["port"] != "ops"
    });
    wrong
        .map(|(probe, path)| workload.says(format_args!("its {probe} isn't {path} on the port ops")))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::deploy::tests::{after, refused};

    #[test]
    fn a_pod_has_no_credential_of_the_cluster_and_no_right_of_the_node() {
        refused(
            "automountServiceAccountToken: false # pod",
            "automountServiceAccountToken: true",
            "automount",
        );
        refused("enableServiceLinks: false # dataplane", "enableServiceLinks: true", "enableServiceLinks");
        refused("runAsNonRoot: true # dataplane", "runAsNonRoot: false", "runAsNonRoot");
        refused("{ type: RuntimeDefault } # dataplane", "{ type: Unconfined }", "seccomp profile");
        let (alone, shared) =
            ("enableServiceLinks: false # dataplane", "enableServiceLinks: false\n      hostNetwork: true");
        refused(alone, shared, "hostNetwork");
    }

    #[test]
    fn a_container_has_no_privilege() {
        refused("allowPrivilegeEscalation: false # dataplane", "allowPrivilegeEscalation: true", "allowPriv");
        refused("readOnlyRootFilesystem: true # dataplane", "readOnlyRootFilesystem: false", "readOnlyRoot");
        refused(
            "capabilities: { drop: [ALL] } # dataplane",
            "capabilities: { drop: [ALL], add: [NET_RAW] }",
            "drop all",
        );
        refused(
            "capabilities: { drop: [ALL] } # dataplane",
            "capabilities: { drop: [ALL] }\n            privileged: true",
            "rights",
        );
    }

    #[test]
    fn a_container_says_what_it_needs_and_may_take() {
        refused("requests: { cpu: 1, memory: 1Gi, ", "requests: { memory: 1Gi, ", "/requests/cpu");
        refused(
            "limits: { memory: 1Gi, ephemeral-storage: 1Gi } # postgres",
            "limits: { memory: 1Gi }",
            "/limits/eph",
        );
    }

    #[test]
    fn an_image_has_a_version() {
        refused(
            "image: registry.example.org:443/atelier-dataplane:1",
            "image: atelier-dataplane:latest",
            "the latest",
        );
        refused(
            "image: registry.example.org:443/atelier-dataplane:1",
            "image: registry.example.org:443/atelier",
            "the latest",
        );
        assert_eq!(after("dataplane:1", "dataplane@sha256:00"), [""; 0]);
    }

    #[test]
    fn a_volume_is_bounded_and_none_of_the_node() {
        refused("emptyDir: { sizeLimit: 16Mi }", "emptyDir: {}", "no sizeLimit");
        refused(
            "{ name: extra, emptyDir: { sizeLimit: 16Mi } }",
            "{ name: extra, hostPath: { path: / } }",
            "of the node",
        );
    }

    #[test]
    fn only_readiness_looks_at_other_services() {
        refused(
            "livenessProbe: { httpGet: { path: /healthz",
            "livenessProbe: { httpGet: { path: /readyz",
            "livenessProbe",
        );
        refused(
            "readinessProbe: { httpGet: { path: /readyz, port: ops",
            "readinessProbe: { httpGet: { path: /readyz, port: http",
            "readinessProbe",
        );
    }
}
