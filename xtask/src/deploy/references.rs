//! References between resources. Kubernetes accepts a dangling reference silently.

use serde_json::{Value, json};

use super::manifests::{Manifests, Workload, at, complaint_about, items};

/// Every complaint about references.
pub(super) fn rules(manifests: &Manifests) -> Vec<String> {
    let mut complaints = Vec::new();
    for workload in manifests.workloads() {
        complaints.extend(own_selector(&workload));
        complaints.extend(probes(&workload));
        complaints.extend(mounts(&workload));
        complaints.extend(named_resources(manifests, &workload));
    }
    complaints.extend(manifests.of("Service").flat_map(|service| service_ports(manifests, service)));
    complaints
        .extend(manifests.of("HorizontalPodAutoscaler").flat_map(|scaler| scale_target(manifests, scaler)));
    for (kind, selector) in [
        ("PodDisruptionBudget", "/spec/selector"),
        ("NetworkPolicy", "/spec/podSelector"),
        ("PodMonitor", "/spec/selector"),
    ] {
        let idle = manifests.of(kind).filter(|resource| {
            resource.pointer(selector).is_none_or(|selector| manifests.selected(selector).is_empty())
        });
        complaints.extend(idle.map(|resource| complaint_about(resource, "selects no pods")));
    }
    complaints.extend(manifests.of("PodMonitor").flat_map(|monitor| monitored_ports(manifests, monitor)));
    complaints.extend(manifests.of("HTTPRoute").flat_map(|route| route_backends(manifests, route)));
    complaints.extend(manifests.of("Ingress").flat_map(|ingress| ingress_backends(manifests, ingress)));
    complaints
}

fn own_selector(workload: &Workload<'_>) -> Option<String> {
    let wanted = at(workload.resource, "/spec/selector/matchLabels").as_object()?;
    let labels = at(workload.template, "/metadata/labels");
    let foreign = wanted.iter().any(|(key, value)| labels.get(key) != Some(value));
    foreign.then(|| workload.complaint("its selector doesn't match the labels of its own pods"))
}

fn probes(workload: &Workload<'_>) -> Vec<String> {
    let mut complaints = Vec::new();
    for container in workload.containers() {
        for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
            for action in ["httpGet", "tcpSocket", "grpc"] {
                let port = container.pointer(&format!("/{probe}/{action}/port"));
                if port.is_some_and(|port| !workload.has_port(port)) {
                    complaints.push(
                        workload.complaint(format_args!("its {probe} uses a port that it doesn't have")),
                    );
                }
            }
        }
    }
    complaints
}

fn mounts(workload: &Workload<'_>) -> Vec<String> {
    let templates =
        items(at(workload.resource, "/spec/volumeClaimTemplates")).map(|claim| at(claim, "/metadata/name"));
    let volumes: Vec<&Value> =
        items(&workload.pod()["volumes"]).map(|volume| &volume["name"]).chain(templates).collect();
    let mounts = workload.containers().flat_map(|container| items(&container["volumeMounts"]));
    let missing = mounts.filter(|mount| !volumes.contains(&&mount["name"]));
    missing
        .map(|mount| {
            workload.complaint(format_args!("mounts {}, which is not one of its volumes", mount["name"]))
        })
        .collect()
}

/// Missing ConfigMaps, accounts and claims. Secrets may be created elsewhere.
fn named_resources(manifests: &Manifests, workload: &Workload<'_>) -> Vec<String> {
    let mut wanted = vec![("ServiceAccount", &workload.pod()["serviceAccountName"])];
    for volume in items(&workload.pod()["volumes"]) {
        if at(volume, "/configMap/optional") != true {
            wanted.push(("ConfigMap", at(volume, "/configMap/name")));
        }
        wanted.push(("PersistentVolumeClaim", at(volume, "/persistentVolumeClaim/claimName")));
    }
    for container in workload.containers() {
        wanted.extend(items(&container["envFrom"]).map(|from| ("ConfigMap", at(from, "/configMapRef/name"))));
    }
    let missing =
        wanted.into_iter().filter(|(kind, name)| !name.is_null() && manifests.find(kind, name).is_none());
    missing.map(|(kind, name)| workload.complaint(format_args!("the {kind} {name} is missing"))).collect()
}

fn service_ports(manifests: &Manifests, service: &Value) -> Vec<String> {
    let pods = manifests.selected(&json!({ "matchLabels": at(service, "/spec/selector") }));
    if pods.is_empty() || at(service, "/spec/selector").is_null() {
        return vec![complaint_about(service, "selects no pods")];
    }
    let ports = items(at(service, "/spec/ports")).map(|port| port.get("targetPort").unwrap_or(&port["port"]));
    let missing = ports.filter(|target| !pods.iter().all(|pod| pod.has_port(target)));
    missing.map(|target| complaint_about(service, format_args!("its pods have no port {target}"))).collect()
}

fn scale_target(manifests: &Manifests, scaler: &Value) -> Option<String> {
    let target = at(scaler, "/spec/scaleTargetRef");
    let Some(workload) = target["kind"].as_str().and_then(|kind| manifests.find(kind, &target["name"]))
    else {
        return Some(complaint_about(scaler, "its target is missing"));
    };
    let fixed = !at(workload, "/spec/replicas").is_null();
    fixed.then(|| {
        complaint_about(
            workload,
            "has fixed replicas and an autoscaler: each apply resets the autoscaler's number",
        )
    })
}

fn monitored_ports(manifests: &Manifests, monitor: &Value) -> Vec<String> {
    let pods = manifests.selected(at(monitor, "/spec/selector"));
    let ports = items(at(monitor, "/spec/podMetricsEndpoints")).map(|endpoint| &endpoint["port"]);
    let missing = ports.filter(|port| !pods.iter().all(|pod| pod.has_port(port)));
    missing.map(|port| complaint_about(monitor, format_args!("its pods have no port {port}"))).collect()
}

fn route_backends(manifests: &Manifests, route: &Value) -> Vec<String> {
    let backends = items(at(route, "/spec/rules")).flat_map(|rule| items(&rule["backendRefs"]));
    let missing = backends.filter(|backend| !serves(manifests, &backend["name"], "port", &backend["port"]));
    missing.map(|backend| complaint_about(route, format_args!("no Service has {backend}"))).collect()
}

fn ingress_backends(manifests: &Manifests, ingress: &Value) -> Vec<String> {
    let paths = items(at(ingress, "/spec/rules")).flat_map(|rule| items(at(rule, "/http/paths")));
    let missing = paths.map(|path| at(path, "/backend/service")).filter(|service| {
        let port = &service["port"];
        let (key, value) =
            if port["name"].is_null() { ("port", &port["number"]) } else { ("name", &port["name"]) };
        !serves(manifests, &service["name"], key, value)
    });
    missing.map(|service| complaint_about(ingress, format_args!("no Service has {service}"))).collect()
}

/// True if the Service has a port with this field.
fn serves(manifests: &Manifests, name: &Value, key: &str, value: &Value) -> bool {
    let service = manifests.find("Service", name);
    service.is_some_and(|service| items(at(service, "/spec/ports")).any(|port| port[key] == *value))
}

#[cfg(test)]
mod tests {
    use crate::deploy::manifests::Manifests;
    use crate::deploy::tests::{VALID, complaints_after, refused};

    #[test]
    fn a_deployment_that_does_not_select_its_own_pods_is_refused() {
        refused(
            "matchLabels: { app: dataplane } # own",
            "matchLabels: { app: data }",
            "labels of its own pods",
        );
    }

    #[test]
    fn a_probe_of_an_unknown_port_is_refused() {
        refused("tcpSocket: { port: 5432 }", "tcpSocket: { port: 5433 }", "readinessProbe uses a port");
    }

    #[test]
    fn a_mount_without_a_volume_is_refused() {
        refused("{ name: extra, emptyDir", "{ name: more, emptyDir", "not one of its volumes");
    }

    #[test]
    fn missing_accounts_maps_and_claims_are_refused() {
        refused(
            "serviceAccountName: dataplane",
            "serviceAccountName: data",
            "ServiceAccount \"data\" is missing",
        );
        refused(
            "configMap: { name: authority, optional: true }",
            "configMap: { name: authority }",
            "ConfigMap \"authority\" is missing",
        );
        refused(
            "persistentVolumeClaim: { claimName: data }",
            "persistentVolumeClaim: { claimName: other }",
            "PersistentVolumeClaim \"other\" is missing",
        );
    }

    #[test]
    fn a_service_without_pods_or_with_an_unknown_port_is_refused() {
        refused("targetPort: http", "targetPort: web", "no port \"web\"");
        refused("selector: { app: postgres } # service", "selector: { app: pg }", "selects no pods");
    }

    #[test]
    fn an_autoscaler_without_a_target_or_beside_fixed_replicas_is_refused() {
        refused("name: dataplane } # scaled", "name: data }", "its target is missing");
        refused("strategy: {}", "replicas: 3", "has fixed replicas");
    }

    #[test]
    fn a_budget_policy_or_monitor_without_pods_is_refused() {
        refused(
            "matchLabels: { app: dataplane } # budget",
            "matchLabels: { app: data }",
            "PodDisruptionBudget",
        );
        refused(
            "matchLabels: { app: postgres } # policy",
            "matchLabels: { app: pg }",
            "NetworkPolicy/postgres: sel",
        );
        refused("matchLabels: { app: dataplane } # monitor", "matchLabels: { app: data }", "PodMonitor");
        refused(
            "podMetricsEndpoints: [{ port: ops }]",
            "podMetricsEndpoints: [{ port: out }]",
            "no port \"out\"",
        );
    }

    #[test]
    fn a_route_or_ingress_to_an_unknown_port_is_refused() {
        refused(
            "backendRefs: [{ name: dataplane, port: 8080 }]",
            "backendRefs: [{ name: dataplane, port: 80 }]",
            "HTTPR",
        );
        refused(
            "service: { name: dataplane, port: { name: http } }",
            "service: { name: dataplane, port: { name: web } }",
            "Ingress",
        );
        assert_eq!(complaints_after("port: { name: http } }", "port: { number: 8080 } }"), [""; 0]);
    }

    #[test]
    fn a_part_of_an_installation_is_checked_alone() {
        let manifests = Manifests::parse(VALID.split("---").next().unwrap()).unwrap();
        assert_eq!(super::rules(&manifests), [""; 0]);
    }
}
