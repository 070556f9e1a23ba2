//! Security, resources, images, volumes and probes of all pods.

use serde_json::{Value, json};

use super::manifests::{Manifests, Workload, at, entries, items};

/// Required values of every pod and every container, by JSON pointer.
const POD: [(&str, bool); 3] = [
    ("/automountServiceAccountToken", false),
    ("/enableServiceLinks", false),
    ("/securityContext/runAsNonRoot", true),
];
const CONTAINER: [(&str, bool); 2] =
    [("/securityContext/allowPrivilegeEscalation", false), ("/securityContext/readOnlyRootFilesystem", true)];
/// Namespaces of the node that no pod may share.
const OF_THE_NODE: [&str; 4] = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"];
/// Requests and limits that each container must have.
const RESOURCES: [&str; 5] = [
    "/requests/cpu",
    "/requests/memory",
    "/requests/ephemeral-storage",
    "/limits/memory",
    "/limits/ephemeral-storage",
];
/// Probes of the planes, and the path of each at the operations port. Only readiness depends on other services: a
/// restart would not bring those back.
const PROBES: [(&str, &str); 3] =
    [("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")];

/// The services, which are also the names of their containers.
pub(super) const PLANES: [&str; 2] = ["control", "dataplane"];

/// Every complaint about pods and containers.
pub(super) fn rules(manifests: &Manifests) -> Vec<String> {
    let mut complaints = Vec::new();
    for workload in manifests.workloads() {
        complaints.extend(pod_security(&workload));
        for container in workload.containers() {
            complaints.extend(container_security(&workload, container));
            complaints.extend(resources(&workload, container));
            complaints.extend(image_version(&workload, container));
        }
        complaints.extend(volumes(&workload));
        complaints.extend(PLANES.iter().flat_map(|plane| probes(&workload, plane)));
    }
    complaints
}

fn pod_security(workload: &Workload<'_>) -> Vec<String> {
    let pod = workload.pod();
    let expected = POD.iter().filter(|(place, value)| pod.pointer(place) != Some(&json!(value)));
    let mut complaints: Vec<String> = expected
        .map(|(place, value)| workload.complaint(format_args!("{place} of its pods is not {value}")))
        .collect();
    if pod.pointer("/securityContext/seccompProfile/type") != Some(&json!("RuntimeDefault")) {
        complaints.push(workload.complaint("its pods have no seccomp profile RuntimeDefault"));
    }
    let shared = OF_THE_NODE.iter().filter(|key| pod[**key] == true);
    complaints.extend(shared.map(|key| workload.complaint(format_args!("its pods have {key}"))));
    complaints
}

fn container_security(workload: &Workload<'_>, container: &Value) -> Vec<String> {
    let expected = CONTAINER.iter().filter(|(place, value)| container.pointer(place) != Some(&json!(value)));
    let mut complaints: Vec<String> = expected
        .map(|(place, value)| {
            workload.complaint(format_args!("{place} of {} is not {value}", container["name"]))
        })
        .collect();
    let context = &container["securityContext"];
    if context["capabilities"] != json!({ "drop": ["ALL"] }) {
        complaints
            .push(workload.complaint(format_args!("{} doesn't drop all capabilities", container["name"])));
    }
    if context["privileged"] == true || !context["seccompProfile"].is_null() {
        complaints.push(workload.complaint(format_args!(
            "{} is privileged, or has a seccomp profile of its own",
            container["name"]
        )));
    }
    complaints
}

fn resources(workload: &Workload<'_>, container: &Value) -> Vec<String> {
    let missing = RESOURCES.iter().filter(|place| container["resources"].pointer(place).is_none());
    missing
        .map(|place| {
            workload.complaint(format_args!("the resources of {} have no {place}", container["name"]))
        })
        .collect()
}

/// An image without a version. The manifest must identify the program.
fn image_version(workload: &Workload<'_>, container: &Value) -> Option<String> {
    let image = container["image"].as_str().unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default();
    let version = name.split_once([':', '@']).map(|(_, version)| version);
    let moves = version.is_none_or(|version| version == "latest");
    moves.then(|| workload.complaint(format_args!("the image of {} has no fixed version", container["name"])))
}

fn volumes(workload: &Workload<'_>) -> Vec<String> {
    let mut complaints = Vec::new();
    for volume in items(&workload.pod()["volumes"]) {
        let name = &volume["name"];
        if volume.get("emptyDir").is_some_and(|folder| folder["sizeLimit"].is_null()) {
            complaints.push(workload.complaint(format_args!("the volume {name} has no sizeLimit")));
        }
        if entries(volume).any(|(kind, _)| kind == "hostPath") {
            complaints.push(workload.complaint(format_args!("the volume {name} is a folder of the node")));
        }
    }
    complaints
}

/// Probes of a plane with another path or port than the expected one.
fn probes(workload: &Workload<'_>, plane: &str) -> Vec<String> {
    let Some(container) = workload.container(plane) else { return Vec::new() };
    let wrong = PROBES.iter().filter(|(probe, path)| {
        let get = at(container, &format!("/{probe}/httpGet"));
        get["path"] != **path || get["port"] != "ops"
    });
    wrong
        .map(|(probe, path)| workload.complaint(format_args!("its {probe} isn't {path} on the port ops")))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::deploy::tests::{complaints_after, refused};

    #[test]
    fn a_pod_with_credentials_of_the_cluster_or_rights_of_the_node_is_refused() {
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
    fn a_container_with_privileges_is_refused() {
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
            "privileged",
        );
    }

    #[test]
    fn a_container_without_requests_or_limits_is_refused() {
        refused("requests: { cpu: 1, memory: 1Gi, ", "requests: { memory: 1Gi, ", "/requests/cpu");
        refused(
            "limits: { memory: 1Gi, ephemeral-storage: 1Gi } # postgres",
            "limits: { memory: 1Gi }",
            "/limits/eph",
        );
    }

    #[test]
    fn an_image_without_a_version_is_refused() {
        refused(
            "image: registry.example.org:443/atelier-dataplane:1",
            "image: atelier-dataplane:latest",
            "no fixed version",
        );
        refused(
            "image: registry.example.org:443/atelier-dataplane:1",
            "image: registry.example.org:443/atelier",
            "no fixed version",
        );
        assert_eq!(complaints_after("dataplane:1", "dataplane@sha256:00"), [""; 0]);
    }

    #[test]
    fn an_unbounded_volume_or_a_folder_of_the_node_is_refused() {
        refused("emptyDir: { sizeLimit: 16Mi }", "emptyDir: {}", "no sizeLimit");
        refused(
            "{ name: extra, emptyDir: { sizeLimit: 16Mi } }",
            "{ name: extra, hostPath: { path: / } }",
            "of the node",
        );
    }

    #[test]
    fn a_probe_with_another_path_or_port_is_refused() {
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
