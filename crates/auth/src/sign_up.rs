//! The people who get an account with their first sign-in.

use std::str::FromStr;

use domain::people::email::EmailAddress;

/// A deployment's rule for first sign-ins. An address counts as far as the issuer has verified it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignUp {
    /// Only operators make accounts.
    Off,
    /// Everybody whom the issuer signs in.
    Anybody,
    /// People with an address of these domains.
    Domains(Vec<String>),
}

impl SignUp {
    /// True if a person with this address gets an account.
    pub fn admits(&self, email: &EmailAddress) -> bool {
        match self {
            Self::Off => false,
            Self::Anybody => true,
            Self::Domains(domains) => domains.iter().any(|domain| email.is_of(domain)),
        }
    }
}

impl FromStr for SignUp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => return Ok(Self::Off),
            "anybody" => return Ok(Self::Anybody),
            _ => {}
        }
        let is_domain =
            |domain: &str| domain.contains('.') && EmailAddress::parse(&format!("a@{domain}")).is_some();
        let domains: Vec<String> = text.split(',').map(|domain| domain.trim().to_owned()).collect();
        if domains.iter().all(|domain| is_domain(domain)) {
            return Ok(Self::Domains(domains));
        }
        Err("expected `off`, `anybody`, or domains separated by commas, as in `works.example,lab.example`"
            .to_owned())
    }
}

#[cfg(test)]
mod tests {
    use domain::people::email::EmailAddress;

    use super::SignUp;

    #[test]
    fn an_address_is_admitted_by_its_own_domain_alone() {
        let admits = |rule: &str, address: &str| {
            rule.parse::<SignUp>().unwrap().admits(&EmailAddress::parse(address).unwrap())
        };
        assert!(!admits("off", "alice@works.example"));
        assert!(admits("anybody", "alice@works.example"));
        assert!(admits("lab.example, works.example", "alice@WORKS.example"));
        assert!(!admits("works.example", "alice@lab.works.example"));
        assert!(!admits("works.example", "alice@networks.example"));
        for bad in ["", "on", "works", "a@works.example", "works.example,", "works .example"] {
            assert!(bad.parse::<SignUp>().is_err(), "{bad}");
        }
    }
}
