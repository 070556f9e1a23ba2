//! What refers to something else must find it. Kubernetes takes a reference to nothing without a word, and does nothing.

use serde_json::{Value, json};

use super::set::{Set, Workload, about, at, items};

/// Every complaint about references.
pub(super) fn rules(set: &Set) -> Vec<String> {
    let mut complaints = Vec::new();
    for workload in set.workloads() {
        complaints.extend(own_selector(&workload));
        complaints.extend(probes(&workload));
        complaints.extend(mounts(&workload));
        complaints.extend(named(set, &workload));
    }
    complaints.extend(set.of("Service").flat_map(|service| service_ports(set, service)));
    complaints.extend(set.of("HorizontalPodAutoscaler").flat_map(|scaler| scaled(set, scaler)));
    for (kind, selector) in [
        ("PodDisruptionBudget", "/spec/selector"),
        ("NetworkPolicy", "/spec/podSelector"),
        ("PodMonitor", "/spec/selector"),
    ] {
        let idle = set.of(kind).filter(|resource| {
            resource.pointer(selector).is_none_or(|selector| set.selected(selector).is_empty())
        });
        complaints.extend(idle.map(|resource| about(resource, "selects no pods")));
    }
    complaints.extend(set.of("PodMonitor").flat_map(|monitor| monitored(set, monitor)));
    complaints.extend(set.of("HTTPRoute").flat_map(|route| routed(set, route)));
    complaints.extend(set.of("Ingress").flat_map(|ingress| let_in(set, ingress)));
    complaints
}

fn own_selector(workload: &Workload<'_>) -> Option<String> {
    let wanted = at(workload.resource, "/spec/selector/matchLabels").as_object()?;
    let labels = at(workload.template, "/metadata/labels");
    let foreign = wanted.iter().any(|(key, value)| labels.get(key) != Some(value));
    foreign.then(|| workload.says("its selector doesn't match the labels of its own pods"))
}

fn probes(workload: &Workload<'_>) -> Vec<String> {
    let mut complaints = Vec::new();
    for container in workload.containers() {
        for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
            for action in ["httpGet", "tcpSocket", "grpc"] {
                let port = container.pointer(&format!("/{probe}/{action}/port"));
                if port.is_some_and(|port| !workload.has_port(port)) {
                    complaints
                        .push(workload.says(format_args!("its {probe} asks a port that it doesn't have")));
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
        .map(|mount| workload.says(format_args!("mounts {}, which is none of its volumes", mount["name"])))
        .collect()
}

/// Secrets may be made outside, ConfigMaps, accounts and claims not.
fn named(set: &Set, workload: &Workload<'_>) -> Vec<String> {
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
    let missing = wanted.into_iter().filter(|(kind, name)| !name.is_null() && set.find(kind, name).is_none());
    missing.map(|(kind, name)| workload.says(format_args!("there is no {kind} {name}"))).collect()
}

fn service_ports(set: &Set, service: &Value) -> Vec<String> {
    let pods = set.selected(&json!({ "matchLabels": at(service, "/spec/selector") }));
    if pods.is_empty() || at(service, "/spec/selector").is_null() {
        return vec![about(service, "selects no pods")];
    }
    let ports = items(at(service, "/spec/ports")).map(|port| port.get("targetPort").unwrap_or(&port["port"]));
    let missing = ports.filter(|target| !pods.iter().all(|pod| pod.has_port(target)));
    missing.map(|target| about(service, format_args!("its pods have no port {target}"))).collect()
}

fn scaled(set: &Set, scaler: &Value) -> Option<String> {
    let target = at(scaler, "/spec/scaleTargetRef");
    let Some(workload) = target["kind"].as_str().and_then(|kind| set.find(kind, &target["name"])) else {
        return Some(about(scaler, "scales nothing that there is"));
    };
    let fixed = !at(workload, "/spec/replicas").is_null();
    fixed.then(|| {
        about(workload, "has replicas of its own and an autoscaler: each apply undoes what that has decided")
    })
}

fn monitored(set: &Set, monitor: &Value) -> Vec<String> {
    let pods = set.selected(at(monitor, "/spec/selector"));
    let ports = items(at(monitor, "/spec/podMetricsEndpoints")).map(|endpoint| &endpoint["port"]);
    let missing = ports.filter(|port| !pods.iter().all(|pod| pod.has_port(port)));
    missing.map(|port| about(monitor, format_args!("its pods have no port {port}"))).collect()
}

fn routed(set: &Set, route: &Value) -> Vec<String> {
    let backends = items(at(route, "/spec/rules")).flat_map(|rule| items(&rule["backendRefs"]));
    let missing = backends.filter(|backend| !serves(set, &backend["name"], "port", &backend["port"]));
    missing.map(|backend| about(route, format_args!("no Service has {backend}"))).collect()
}

fn let_in(set: &Set, ingress: &Value) -> Vec<String> {
    let paths = items(at(ingress, "/spec/rules")).flat_map(|rule| items(at(rule, "/http/paths")));
    let missing = paths.map(|path| at(path, "/backend/service")).filter(|service| {
        let port = &service["port"];
        let (key, value) =
            if port["name"].is_null() { ("port", &port["number"]) } else { ("name", &port["name"]) };
        !serves(set, &service["name"], key, value)
    });
    missing.map(|service| about(ingress, format_args!("no Service has {service}"))).collect()
}

/// Whether the Service of a name has a port, one of whose fields is this.
fn serves(set: &Set, name: &Value, key: &str, value: &Value) -> bool {
    let service = set.find("Service", name);
    service.is_some_and(|service| items(at(service, "/spec/ports")).any(|port| port[key] == *value))
}

#[cfg(test)]
mod tests {
    use crate::deploy::set::Set;
    use crate::deploy::tests::{SOUND, after, refused};

    #[test]
    fn a_deployment_selects_its_own_pods() {
        refused(
            "matchLabels: { app: dataplane } # own",
            "matchLabels: { app: data }",
            "labels of its own pods",
        );
    }

    #[test]
    fn a_probe_asks_a_port_that_there_is() {
        refused("tcpSocket: { port: 5432 }", "tcpSocket: { port: 5433 }", "readinessProbe asks a port");
    }

    #[test]
    fn what_is_mounted_is_a_volume() {
        refused("{ name: extra, emptyDir", "{ name: more, emptyDir", "none of its volumes");
    }

    #[test]
    fn accounts_maps_and_claims_are_there() {
        refused("serviceAccountName: dataplane", "serviceAccountName: data", "no ServiceAccount");
        refused(
            "configMap: { name: authority, optional: true }",
            "configMap: { name: authority }",
            "no ConfigMap",
        );
        refused(
            "persistentVolumeClaim: { claimName: data }",
            "persistentVolumeClaim: { claimName: other }",
            "no Persist",
        );
    }

    #[test]
    fn a_service_finds_pods_with_its_port() {
        refused("targetPort: http", "targetPort: web", "no port \"web\"");
        refused("selector: { app: postgres } # service", "selector: { app: pg }", "selects no pods");
    }

    #[test]
    fn an_autoscaler_has_something_to_scale_and_is_alone_in_it() {
        refused("name: dataplane } # scaled", "name: data }", "scales nothing");
        refused("strategy: {}", "replicas: 3", "has replicas of its own");
    }

    #[test]
    fn a_budget_a_policy_and_a_monitor_select_pods() {
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
    fn a_route_and_an_ingress_lead_to_ports_of_services() {
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
        assert_eq!(after("port: { name: http } }", "port: { number: 8080 } }"), [""; 0]);
    }

    #[test]
    fn the_rules_on_references_need_no_whole_installation() {
        let set = Set::parse(SOUND.split("---").next().unwrap()).unwrap();
        assert_eq!(super::rules(&set), [""; 0]);
    }
}
