//! A script for pgbench out of the statements of one request: the same statements, with ids and names of its own in each
//! transaction and an account of its own for each client.

use std::fmt::Write;

use crate::stack::Account;
use crate::statements::Executed;

/// Digits of the number that makes names and ids unique.
const DIGITS: usize = 12;
/// Characters of an id.
const UUID_CHARS: usize = 36;
/// The number of a transaction as text of that many digits. Numbers grow with time, as ids do.
const NUMBER: &str = "lpad(:n, 12, '0')";

/// What of a request's values is not the same in the next one.
pub(crate) struct Varying<'a> {
    /// How many clients run the script.
    pub(crate) clients: usize,
    /// Their accounts, of which the first sent the request; none where they all use the same.
    pub(crate) accounts: &'a [Account],
    /// Ids that were there before the request. Others are taken for new ones.
    pub(crate) kept: &'a [&'a str],
    /// The number that the request made its names unique with, as [`marker`] writes it.
    pub(crate) marker: &'a str,
}

/// A number as it makes a name unique.
pub(crate) fn marker(number: u64) -> String {
    format!("{number:0DIGITS$}")
}

/// The script. Its variables `round` and `step` are to be set from outside; `round` must be another in each run.
pub(crate) fn script(statements: &[Executed], varying: &Varying<'_>) -> String {
    let clients = varying.clients;
    let mut script =
        format!("\\set step :step + 1\n\\set n (:round * 1000000 + :step) * {clients} + :client_id\n");
    let mut fresh = Vec::new();
    script.push_str(&written(statements, |value| varying.expression(value, &mut fresh)));
    script
}

/// The statements with the values that they had, as parameters: PostgreSQL decides on their plans as it does for the service.
/// Returns the script and its variables.
pub(crate) fn verbatim(statements: &[Executed]) -> (String, Vec<(String, String)>) {
    let mut variables = Vec::new();
    let script = written(statements, |value| {
        let name = format!("v{}", variables.len());
        let variable = format!(":{name}");
        variables.push((name, value.to_owned()));
        variable
    });
    (script, variables)
}

/// The statements with `expression` in place of each value.
fn written(statements: &[Executed], mut expression: impl FnMut(&str) -> String) -> String {
    let mut script = String::new();
    for Executed { sql, parameters } in statements {
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
                // No parameter: a dollar that means itself.
                None => script.extend(["$", number]),
            }
            script.push_str(rest);
        }
        script.push_str(";\n");
    }
    script
}

/// The same script with all of a transaction sent before the first answer is waited for.
pub(crate) fn pipelined(script: &str) -> String {
    let (variables, statements): (Vec<&str>, Vec<&str>) =
        script.lines().partition(|line| line.starts_with("\\set "));
    format!("{}\n\\startpipeline\n{}\n\\endpipeline\n", variables.join("\n"), statements.join("\n"))
}

impl Varying<'_> {
    /// What stands for a value of the request in every transaction. `fresh` are the ids that the request created.
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
        // Records of what was done, and arrays of them, hold ids and names too; nothing asks for them there.
        if value.starts_with("{\"") {
            return literal(value);
        }
        let text = self.text(value, fresh);
        // What is put together has a type, and that of an array is not a text's.
        let is_varying_array = value.starts_with('{') && text.starts_with('(');
        if is_varying_array { format!("{text}::text[]") } else { text }
    }

    /// A text with ids and markers within it.
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

/// A value as SQL. Without colons, which pgbench may take for the beginning of a variable.
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

/// The elements of an array of ids that is not empty.
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
    use super::{Account, Executed, Varying, script};

    #[test]
    fn a_script_repeats_the_request_with_ids_and_names_of_its_own() {
        let account = |digit: &str| Account {
            user: format!("{}-0000-7000-8000-000000000000", digit.repeat(8)),
            key_id: format!("{}-1111-7000-8000-000000000000", digit.repeat(8)),
            key: "secret".to_owned(),
        };
        let accounts = [account("a"), account("b")];
        let project = "99999999-0000-7000-8000-000000000000";
        let statements = [
            Executed { sql: "begin".to_owned(), parameters: vec![] },
            Executed {
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
            Executed { sql: "update p where id = $1".to_owned(), parameters: vec![Some(project.to_owned())] },
        ];
        let varying = Varying {
            clients: 2,
            accounts: &accounts,
            kept: &["77777777-0000-7000-8000-000000000000"],
            marker: "000000000007",
        };
        assert_eq!(
            script(&statements, &varying),
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
