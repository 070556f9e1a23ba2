//! Scripts for pgbench from the statements of one request: the same statements with new ids and names in each
//! transaction, and an account for each client.

use std::fmt::Write;

use crate::stack::Account;
use crate::statements::Statement;

/// Digits of the number that makes names and ids unique.
const DIGITS: usize = 12;
/// Characters of an id.
const UUID_CHARS: usize = 36;
/// The number of a transaction as text of [`DIGITS`] digits. It grows with time, as ids do.
const NUMBER: &str = "lpad(:n, 12, '0')";

/// The values of a request that differ in the next one.
pub(crate) struct Variation<'a> {
    /// Number of clients that run the script.
    pub(crate) clients: usize,
    /// Accounts of the clients; the first sent the request. Empty if all clients share one.
    pub(crate) accounts: &'a [Account],
    /// Ids that existed before the request. Others are new ones.
    pub(crate) kept: &'a [&'a str],
    /// The number in the request's unique names, as [`marker`] writes it.
    pub(crate) marker: &'a str,
}

/// A number as the unique part of a name.
pub(crate) fn marker(number: u64) -> String {
    format!("{number:0DIGITS$}")
}

/// The script. Its caller sets the variables `round` and `step`; `round` must differ in each run.
pub(crate) fn script(statements: &[Statement], variation: &Variation<'_>) -> String {
    let clients = variation.clients;
    let mut script =
        format!("\\set step :step + 1\n\\set n (:round * 1000000 + :step) * {clients} + :client_id\n");
    let mut fresh = Vec::new();
    script.push_str(&render(statements, |value| variation.expression(value, &mut fresh)));
    script
}

/// The statements with their original values as parameters, so that PostgreSQL plans them as for the service. Returns
/// the script and its variables.
pub(crate) fn verbatim(statements: &[Statement]) -> (String, Vec<(String, String)>) {
    let mut variables = Vec::new();
    let script = render(statements, |value| {
        let name = format!("v{}", variables.len());
        let variable = format!(":{name}");
        variables.push((name, value.to_owned()));
        variable
    });
    (script, variables)
}

/// The statements with `expression` of each value in its place.
fn render(statements: &[Statement], mut expression: impl FnMut(&str) -> String) -> String {
    let mut script = String::new();
    for Statement { sql, parameters } in statements {
        let mut pieces = sql.split('$');
        script.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let digits = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
            let (number, rest) = piece.split_at(digits);
            let value =
                number.parse::<usize>().ok().and_then(|number| parameters.get(number.checked_sub(1)?));
            match value {
                Some(Some(value)) => script.push_str(&expression(value)),
                Some(None) => script.push_str("null"),
                // Not a parameter: a literal dollar.
                None => script.extend(["$", number]),
            }
            script.push_str(rest);
        }
        script.push_str(";\n");
    }
    script
}

/// The script as a pipeline: all statements of a transaction are sent before the first answer arrives.
pub(crate) fn pipelined(script: &str) -> String {
    let (variables, statements): (Vec<&str>, Vec<&str>) =
        script.lines().partition(|line| line.starts_with("\\set "));
    format!("{}\n\\startpipeline\n{}\n\\endpipeline\n", variables.join("\n"), statements.join("\n"))
}

impl Variation<'_> {
    /// The expression that replaces a value of the request. `fresh` has the ids that the request created.
    fn expression(&self, value: &str, fresh: &mut Vec<String>) -> String {
        if let Some(first) = self.accounts.first() {
            if value == first.user {
                return self.of_client(|account| &account.user);
            }
            if value == first.key_id {
                return self.of_client(|account| &account.key_id);
            }
        }
        if self.kept.contains(&value) {
            return literal(value);
        }
        if let Some(ids) = uuids(value) {
            let ids: Vec<String> = ids.into_iter().map(|id| self.expression(id, fresh)).collect();
            return format!("(array[{}]::uuid[])", ids.join(", "));
        }
        if is_uuid(value) {
            let known = fresh.iter().position(|id| id == value);
            let kind = known.unwrap_or_else(|| {
                fresh.push(value.to_owned());
                fresh.len() - 1
            });
            return format!("('{kind:08x}-0000-7000-8000-' || {NUMBER})::uuid");
        }
        // JSON records and arrays of them contain ids and names, too; no query reads those.
        if value.starts_with("{\"") {
            return literal(value);
        }
        let text = self.text(value, fresh);
        // A concatenation is a text, and an array needs its own type.
        let is_variable_array = value.starts_with('{') && text.starts_with('(');
        if is_variable_array { format!("{text}::text[]") } else { text }
    }

    /// The expression for a text that contains ids and markers.
    fn text(&self, value: &str, fresh: &mut Vec<String>) -> String {
        let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), value);
        while let Some(c) = rest.chars().next() {
            let id = rest.split_at_checked(UUID_CHARS).filter(|(id, _)| is_uuid(id));
            let piece = match (rest.strip_prefix(self.marker), id) {
                (Some(after), _) => Some((NUMBER.to_owned(), after)),
                (None, Some((id, after))) if !self.kept.contains(&id) => {
                    Some((format!("{}::text", self.expression(id, fresh)), after))
                }
                _ => None,
            };
            if let Some((expression, after)) = piece {
                pieces.extend([literal(&std::mem::take(&mut plain)), expression]);
                rest = after;
            } else {
                plain.push(c);
                rest = rest.strip_prefix(c).unwrap_or_default();
            }
        }
        pieces.push(literal(&plain));
        if pieces.len() == 1 { pieces.concat() } else { format!("({})", pieces.join(" || ")) }
    }

    fn of_client(&self, id: impl Fn(&Account) -> &str) -> String {
        let mut ids = String::new();
        for account in self.accounts {
            let comma = if ids.is_empty() { "" } else { "," };
            let _infallible = write!(ids, "{comma}'{}'", id(account));
        }
        format!("(array[{ids}])[:client_id + 1]::uuid")
    }
}

/// A value as an SQL literal. Colons are escaped: pgbench may read one as the beginning of a variable.
fn literal(value: &str) -> String {
    let mut text = String::from("E'");
    for c in value.chars() {
        match c {
            '\'' => text.push_str("''"),
            '\\' => text.push_str("\\\\"),
            ':' => text.push_str("\\x3a"),
            '\n' => text.push_str("\\n"),
            c => text.push(c),
        }
    }
    text.push('\'');
    text
}

/// The elements of a non-empty array of ids.
fn uuids(value: &str) -> Option<Vec<&str>> {
    let ids: Vec<&str> = value.strip_prefix('{')?.strip_suffix('}')?.split(',').collect();
    ids.iter().all(|id| is_uuid(id)).then_some(ids)
}

fn is_uuid(value: &str) -> bool {
    let lengths: Vec<usize> = value.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && value.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::{Account, Statement, Variation, script};

    #[test]
    fn a_script_repeats_the_request_with_new_ids_and_names() {
        let account = |digit: &str| Account {
            user: format!("{}-0000-7000-8000-000000000000", digit.repeat(8)),
            key_id: format!("{}-1111-7000-8000-000000000000", digit.repeat(8)),
            key: "secret".to_owned(),
        };
        let accounts = [account("a"), account("b")];
        let project = "99999999-0000-7000-8000-000000000000";
        let statements = [
            Statement { sql: "begin".to_owned(), parameters: vec![] },
            Statement {
                sql: "insert into p values ($1, $2, $3, $4, $5) on conflict do nothing".to_owned(),
                parameters: [
                    Some(project),
                    Some(&accounts[0].user),
                    Some("{bench-000000000007}"),
                    Some("09:15"),
                    None,
                ]
                .map(|value| value.map(str::to_owned))
                .to_vec(),
            },
            Statement {
                sql: "update p where id = $1".to_owned(),
                parameters: vec![Some(project.to_owned())],
            },
        ];
        let variation = Variation {
            clients: 2,
            accounts: &accounts,
            kept: &["77777777-0000-7000-8000-000000000000"],
            marker: "000000000007",
        };
        assert_eq!(
            script(&statements, &variation),
            "\
\\set step :step + 1
\\set n (:round * 1000000 + :step) * 2 + :client_id
begin;
insert into p values (('00000000-0000-7000-8000-' || lpad(:n, 12, '0'))::uuid, \
(array['aaaaaaaa-0000-7000-8000-000000000000','bbbbbbbb-0000-7000-8000-000000000000'])[:client_id + 1]::uuid, \
(E'{bench-' || lpad(:n, 12, '0') || E'}')::text[], E'09\\x3a15', null) on conflict do nothing;
update p where id = ('00000000-0000-7000-8000-' || lpad(:n, 12, '0'))::uuid;
"
        );
    }
}
