//! Who may talk to whom. Policies add up, so what is asked is what they allow together: everything that a program needs, and
//! nothing else.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::set::{Set, Workload, about, at, items};

const NAMES: u64 = 53;
const POSTGRES: u64 = 5432;
const REDIS: u64 = 6379;
const HTTPS: u64 = 443;
/// Ports of a gateway, and of the data plane itself, at which executions reach it.
const OF_A_GATEWAY: [u64; 3] = [8080, 8443, 10443];

/// What each program connects to: what it can't do without, and what it may use beside.
const REACHES: [(&str, &[u64], &[u64]); 3] = [
    ("control", &[NAMES, POSTGRES, REDIS, HTTPS], &OF_A_GATEWAY),
    ("dataplane", &[NAMES, POSTGRES, REDIS], &[HTTPS]),
    ("migrate", &[NAMES, POSTGRES], &[]),
];
/// The one program that goes to addresses which users have named.
const OUTWARDS: &str = "control";
/// What is no part of the public internet: machines beside this one, and the metadata of clouds.
const PRIVATE: [&str; 5] =
    ["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"];

/// Every complaint about policies.
pub(super) fn rules(set: &Set) -> Vec<String> {
    let mut complaints = Vec::new();
    if !set.of("NetworkPolicy").any(denies_all) {
        complaints.push("no NetworkPolicy denies what none allows".to_owned());
    }
    for policy in set.of("NetworkPolicy") {
        complaints.extend(open(policy));
        complaints.extend(ports_to_pods(set, policy));
    }
    for workload in set.workloads() {
        for (program, needs, may) in REACHES {
            if workload.container(program).is_some() {
                let reached: BTreeSet<u64> = outwards(set, &workload).flat_map(ports).collect();
                let missing = needs.iter().filter(|port| !reached.contains(port));
                complaints.extend(missing.map(|port| workload.says(format_args!("can't reach port {port}"))));
                let strange = reached.iter().filter(|port| !needs.contains(port) && !may.contains(port));
                complaints
                    .extend(strange.map(|port| workload.says(format_args!("has no use for port {port}"))));
                complaints.extend(world(program, &workload, outwards(set, &workload)));
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

/// A rule without a peer means everybody, one without ports all of them.
fn open(policy: &Value) -> Vec<String> {
    let sides = [("/spec/ingress", "from"), ("/spec/egress", "to")];
    let rules =
        sides.into_iter().flat_map(|(side, peers)| items(at(policy, side)).map(move |rule| (rule, peers)));
    let wide = rules.filter(|(rule, peers)| {
        let named = |list: &Value| items(list).next().is_some();
        let anybody = items(&rule[*peers])
            .any(|peer| peer == &json!({ "namespaceSelector": {} }) || peer == &json!({}));
        anybody || !named(&rule[*peers]) || !named(&rule["ports"])
    });
    wide.map(|_| about(policy, "a rule of it names no peer, or no ports")).collect()
}

/// What is let in must be let in somewhere.
fn ports_to_pods(set: &Set, policy: &Value) -> Vec<String> {
    let pods = set.selected(at(policy, "/spec/podSelector"));
    let ports =
        items(at(policy, "/spec/ingress")).flat_map(|rule| items(&rule["ports"])).map(|port| &port["port"]);
    let missing = ports.filter(|port| !pods.iter().all(|pod| pod.has_port(port)));
    missing
        .map(|port| about(policy, format_args!("lets in to port {port}, which its pods don't have")))
        .collect()
}

/// The rules by which a workload's pods connect to others.
fn outwards<'a>(set: &'a Set, workload: &Workload<'a>) -> impl Iterator<Item = &'a Value> {
    let own = workload.resource;
    set.of("NetworkPolicy")
        .filter(move |policy| {
            let selected = set.selected(at(policy, "/spec/podSelector"));
            selected.iter().any(|other| std::ptr::eq(other.resource, own))
        })
        .flat_map(|policy| items(at(policy, "/spec/egress")))
}

fn ports(rule: &Value) -> impl Iterator<Item = u64> {
    items(&rule["ports"]).filter_map(|port| port["port"].as_u64())
}

/// The whole world is for one program alone, and holds nothing private.
fn world<'a>(program: &str, workload: &Workload<'_>, rules: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let blocks = rules.flat_map(|rule| items(&rule["to"])).map(|peer| &peer["ipBlock"]);
    let wide = blocks.filter(|block| {
        block["cidr"] == "::/0"
            || block["cidr"] == "0.0.0.0/0"
                && (program != OUTWARDS
                    || !PRIVATE.iter().all(|range| items(&block["except"]).any(|it| it == range)))
    });
    wide.map(|_| workload.says("may reach private addresses, or the whole internet without need")).collect()
}

#[cfg(test)]
mod tests {
    use crate::deploy::set::Set;
    use crate::deploy::tests::{SOUND, refused};

    #[test]
    fn what_no_policy_allows_is_denied() {
        refused("policyTypes: [Ingress, Egress] # deny", "policyTypes: [Ingress]", "denies what none allows");
    }

    #[test]
    fn a_rule_names_peers_and_ports() {
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
    fn what_is_let_in_is_a_port_of_the_pods() {
        refused("ports: [{ port: http }] # clients", "ports: [{ port: web }]", "which its pods don't have");
    }

    #[test]
    fn a_program_reaches_what_it_needs_and_nothing_else() {
        refused("ports: [{ port: 6379 }]", "ports: [{ port: 443 }]", "dataplane: can't reach port 6379");
        refused("ports: [{ port: 6379 }]", "ports: [{ port: 6379 }, { port: 22 }]", "no use for port 22");
    }

    #[test]
    fn the_internet_is_for_the_control_plane_alone_and_has_no_private_part() {
        refused("cidr: 192.0.2.11/32", "cidr: 0.0.0.0/0", "without need");
        let control = SOUND
            .replace("name: dataplane # container", "name: control")
            .replace("192.0.2.11/32", "0.0.0.0/0");
        let complaints = super::rules(&Set::parse(&control).unwrap());
        assert!(
            complaints.iter().any(|said| said.contains("may reach private addresses")),
            "{complaints:#?}"
        );
    }
}
