//! Network policies. Policies add up: together they must allow the connections that a program needs, and no others.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::manifests::{Manifests, Workload, at, complaint_about, items};

const DNS: u64 = 53;
const POSTGRES: u64 = 5432;
const REDIS: u64 = 6379;
const HTTPS: u64 = 443;
/// Ports of a gateway and of the data plane, at which executions upload files.
const GATEWAY: [u64; 3] = [8080, 8443, 10443];

/// Ports that each program connects to: those it needs, and those it may use.
const CONNECTIONS: [(&str, &[u64], &[u64]); 3] = [
    ("control", &[DNS, POSTGRES, REDIS, HTTPS], &GATEWAY),
    ("dataplane", &[DNS, POSTGRES, REDIS], &[HTTPS]),
    ("migrate", &[DNS, POSTGRES], &[]),
];
/// The one program that connects to addresses given by users.
const INTERNET_CLIENT: &str = "control";
/// Addresses outside of the public internet: local networks, and the metadata services of clouds.
const PRIVATE: [&str; 5] =
    ["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"];

/// Every complaint about policies.
pub(super) fn rules(manifests: &Manifests) -> Vec<String> {
    let mut complaints = Vec::new();
    if !manifests.of("NetworkPolicy").any(denies_all) {
        complaints.push("no NetworkPolicy denies all traffic by default".to_owned());
    }
    for policy in manifests.of("NetworkPolicy") {
        complaints.extend(unbounded(policy));
        complaints.extend(ports_to_pods(manifests, policy));
    }
    for workload in manifests.workloads() {
        for (program, needs, may) in CONNECTIONS {
            if workload.container(program).is_some() {
                let reached: BTreeSet<u64> = egress(manifests, &workload).flat_map(ports).collect();
                let missing = needs.iter().filter(|port| !reached.contains(port));
                complaints
                    .extend(missing.map(|port| workload.complaint(format_args!("can't reach port {port}"))));
                let strange = reached.iter().filter(|port| !needs.contains(port) && !may.contains(port));
                complaints.extend(
                    strange.map(|port| workload.complaint(format_args!("has no use for port {port}"))),
                );
                complaints.extend(internet(program, &workload, egress(manifests, &workload)));
            }
        }
    }
    complaints
}

fn denies_all(policy: &Value) -> bool {
    let spec = &policy["spec"];
    let both =
        ["Ingress", "Egress"].iter().all(|kind| items(&spec["policyTypes"]).any(|listed| listed == kind));
    both && spec["podSelector"] == json!({}) && spec["ingress"].is_null() && spec["egress"].is_null()
}

/// Rules without a peer, which allow everybody, or without ports, which allow all of them.
fn unbounded(policy: &Value) -> Vec<String> {
    let sides = [("/spec/ingress", "from"), ("/spec/egress", "to")];
    let rules =
        sides.into_iter().flat_map(|(side, peers)| items(at(policy, side)).map(move |rule| (rule, peers)));
    let wide = rules.filter(|(rule, peers)| {
        let named = |list: &Value| items(list).next().is_some();
        let anybody = items(&rule[*peers])
            .any(|peer| peer == &json!({ "namespaceSelector": {} }) || peer == &json!({}));
        anybody || !named(&rule[*peers]) || !named(&rule["ports"])
    });
    wide.map(|_| complaint_about(policy, "one of its rules names no peer, or no ports")).collect()
}

/// Ingress to ports that the selected pods don't have.
fn ports_to_pods(manifests: &Manifests, policy: &Value) -> Vec<String> {
    let pods = manifests.selected(at(policy, "/spec/podSelector"));
    let ports =
        items(at(policy, "/spec/ingress")).flat_map(|rule| items(&rule["ports"])).map(|port| &port["port"]);
    let missing = ports.filter(|port| !pods.iter().all(|pod| pod.has_port(port)));
    missing
        .map(|port| {
            complaint_about(policy, format_args!("allows ingress to port {port}, which its pods don't have"))
        })
        .collect()
}

/// The egress rules of a workload's pods.
fn egress<'a>(manifests: &'a Manifests, workload: &Workload<'a>) -> impl Iterator<Item = &'a Value> {
    let own = workload.resource;
    manifests
        .of("NetworkPolicy")
        .filter(move |policy| {
            let selected = manifests.selected(at(policy, "/spec/podSelector"));
            selected.iter().any(|other| std::ptr::eq(other.resource, own))
        })
        .flat_map(|policy| items(at(policy, "/spec/egress")))
}

fn ports(rule: &Value) -> impl Iterator<Item = u64> {
    items(&rule["ports"]).filter_map(|port| port["port"].as_u64())
}

/// Egress to the whole internet from another program than the one that needs it, or to private addresses.
fn internet<'a>(
    program: &str,
    workload: &Workload<'_>,
    rules: impl Iterator<Item = &'a Value>,
) -> Vec<String> {
    let blocks = rules.flat_map(|rule| items(&rule["to"])).map(|peer| &peer["ipBlock"]);
    let wide = blocks.filter(|block| {
        block["cidr"] == "::/0"
            || block["cidr"] == "0.0.0.0/0"
                && (program != INTERNET_CLIENT
                    || !PRIVATE.iter().all(|range| items(&block["except"]).any(|it| it == range)))
    });
    wide.map(|_| workload.complaint("may reach private addresses, or the whole internet without need"))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::deploy::manifests::Manifests;
    use crate::deploy::tests::{VALID, refused};

    #[test]
    fn a_missing_default_denial_is_refused() {
        refused(
            "policyTypes: [Ingress, Egress] # deny",
            "policyTypes: [Ingress]",
            "denies all traffic by default",
        );
    }

    #[test]
    fn a_rule_without_peers_or_ports_is_refused() {
        refused(
            "    - from: [{ podSelector: { matchLabels: { app: gateway } } }]\n      ports:",
            "    - ports:",
            "names no peer",
        );
        refused(
            "from: [{ podSelector: { matchLabels: { app: gateway } } }]",
            "from: [{ namespaceSelector: {} }]",
            "names no peer",
        );
        refused("      ports: [{ port: http }] # clients\n", "", "or no ports");
    }

    #[test]
    fn ingress_to_an_unknown_port_is_refused() {
        refused("ports: [{ port: http }] # clients", "ports: [{ port: web }]", "which its pods don't have");
    }

    #[test]
    fn missing_and_useless_egress_is_refused() {
        refused("ports: [{ port: 6379 }]", "ports: [{ port: 443 }]", "dataplane: can't reach port 6379");
        refused("ports: [{ port: 6379 }]", "ports: [{ port: 6379 }, { port: 22 }]", "no use for port 22");
    }

    #[test]
    fn only_the_control_plane_may_reach_the_internet_and_no_private_address() {
        refused("cidr: 192.0.2.11/32", "cidr: 0.0.0.0/0", "without need");
        let control = VALID
            .replace("name: dataplane # container", "name: control")
            .replace("192.0.2.11/32", "0.0.0.0/0");
        let complaints = super::rules(&Manifests::parse(&control).unwrap());
        assert!(
            complaints.iter().any(|said| said.contains("may reach private addresses")),
            "{complaints:#?}"
        );
    }
}
