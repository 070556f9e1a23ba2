//! The parser of a single statement. Strings stay encoded; `text` decodes them.

use super::limits::NESTING_MAX;

/// An instance `#n=KEYWORD(...)`, a complex instance `#n=(A(...)B(...))` or a header entry `KEYWORD(...)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<'a> {
    /// Instance name; 0 in the header.
    pub id: u64,
    /// One entity, or the parts of a complex instance.
    pub entities: Vec<Entity<'a>>,
}

/// A keyword and its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity<'a> {
    /// The keyword, as it is written.
    pub keyword: &'a [u8],
    /// The parameters.
    pub parameters: Vec<Parameter<'a>>,
}

/// A parameter of an entity.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter<'a> {
    /// `#n`
    Reference(u64),
    /// `'text'`, without the quotes.
    Text(&'a [u8]),
    /// A whole number.
    Integer(i64),
    /// A finite number with a point.
    Number(f64),
    /// `.NAME.`, without the dots.
    Enumeration(&'a [u8]),
    /// `(...)`
    List(Vec<Self>),
    /// `KEYWORD(...)`
    Typed(Entity<'a>),
    /// `$`: no value.
    Unset,
    /// `*`: the value follows from others.
    Derived,
    /// A binary, or a number that is not finite.
    Other,
}

impl<'a> Record<'a> {
    /// Parses a statement; `None` if it is invalid.
    pub fn parse(statement: &'a [u8]) -> Option<Self> {
        let mut cursor = Cursor { rest: statement };
        let mut id = 0;
        if cursor.take(b'#') {
            id = cursor.digits()?;
            if !cursor.take(b'=') {
                return None;
            }
        }
        let mut entities = Vec::new();
        if cursor.take(b'(') {
            while !cursor.take(b')') {
                entities.push(cursor.entity(NESTING_MAX)?);
            }
        } else {
            entities.push(cursor.entity(NESTING_MAX)?);
        }
        cursor.skip_blank();
        (cursor.rest.is_empty() && !entities.is_empty()).then_some(Self { id, entities })
    }

    /// The first entity with one of these keywords.
    pub fn entity(&self, keywords: &[&[u8]]) -> Option<&Entity<'a>> {
        let named = |entity: &&Entity<'a>| keywords.iter().any(|keyword| entity.is(keyword));
        self.entities.iter().find(named)
    }
}

impl<'a> Entity<'a> {
    /// True for this keyword, in any case.
    pub fn is(&self, keyword: &[u8]) -> bool {
        self.keyword.eq_ignore_ascii_case(keyword)
    }

    /// The instance that a parameter references.
    pub fn reference(&self, place: usize) -> Option<u64> {
        self.parameters.get(place)?.reference()
    }

    /// The encoded text of a parameter.
    pub fn text(&self, place: usize) -> Option<&'a [u8]> {
        match self.parameters.get(place)? {
            Parameter::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of a list; empty for other parameters.
    pub fn list(&self, place: usize) -> &[Parameter<'a>] {
        match self.parameters.get(place) {
            Some(Parameter::List(list)) => list,
            _ => &[],
        }
    }

    /// A parameter, counted from the end.
    pub fn nth_last(&self, place: usize) -> Option<&Parameter<'a>> {
        self.parameters.iter().nth_back(place)
    }
}

impl Parameter<'_> {
    /// The instance that it references.
    pub fn reference(&self) -> Option<u64> {
        match self {
            Self::Reference(id) => Some(*id),
            _ => None,
        }
    }

    /// A number with or without a type.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Integer(number) => match i32::try_from(*number) {
                Ok(number) => Some(f64::from(number)),
                Err(_) => number.to_string().parse().ok(),
            },
            Self::Typed(entity) => match entity.parameters.as_slice() {
                [Self::Typed(_)] => None,
                [only] => only.number(),
                _ => None,
            },
            _ => None,
        }
    }
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_ascii_start();
            let Some(comment) = self.rest.strip_prefix(b"/*") else { return };
            let Some(end) = memchr::memmem::find(comment, b"*/") else { return };
            self.rest = comment.get(end + 2..).unwrap_or_default();
        }
    }

    /// Takes `byte` if it is next.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_blank();
        match self.rest.split_first() {
            Some((first, rest)) if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Takes the next bytes while `belongs`.
    fn take_while(&mut self, belongs: impl Fn(&u8) -> bool) -> &'a [u8] {
        self.skip_blank();
        let length = self.rest.iter().take_while(|byte| belongs(byte)).count();
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or_default();
        self.rest = rest;
        taken
    }

    fn digits(&mut self) -> Option<u64> {
        std::str::from_utf8(self.take_while(u8::is_ascii_digit)).ok()?.parse().ok()
    }

    /// A keyword and its parameters, with at most `depth` nested lists.
    fn entity(&mut self, depth: usize) -> Option<Entity<'a>> {
        // `!` begins a user-defined keyword.
        let keyword = self.take_while(|byte| byte.is_ascii_alphanumeric() || b"_-!".contains(byte));
        if keyword.is_empty() || !self.take(b'(') {
            return None;
        }
        Some(Entity { keyword, parameters: self.parameters(depth.checked_sub(1)?)? })
    }

    /// The parameters up to the closing bracket. Accepts missing and additional commas.
    fn parameters(&mut self, depth: usize) -> Option<Vec<Parameter<'a>>> {
        let mut parameters = Vec::new();
        while !self.take(b')') {
            if !self.take(b',') {
                parameters.push(self.parameter(depth)?);
            }
        }
        Some(parameters)
    }

    fn parameter(&mut self, depth: usize) -> Option<Parameter<'a>> {
        let (first, rest) = self.rest.split_first()?;
        match first {
            b'#' => {
                self.rest = rest;
                self.digits().map(Parameter::Reference)
            }
            b'\'' => {
                let end = end_of_string(rest)?;
                self.rest = rest.get(end + 1..)?;
                Some(Parameter::Text(rest.get(..end)?))
            }
            b'(' => {
                self.rest = rest;
                self.parameters(depth.checked_sub(1)?).map(Parameter::List)
            }
            b'$' | b'*' => {
                self.rest = rest;
                Some(if *first == b'$' { Parameter::Unset } else { Parameter::Derived })
            }
            b'"' => {
                let end = memchr::memchr(b'"', rest)?;
                self.rest = rest.get(end + 1..)?;
                Some(Parameter::Other)
            }
            b'.' if rest.first().is_some_and(u8::is_ascii_alphabetic) => {
                let end = memchr::memchr(b'.', rest)?;
                self.rest = rest.get(end + 1..)?;
                Some(Parameter::Enumeration(rest.get(..end)?))
            }
            b'+' | b'-' | b'.' | b'0'..=b'9' => {
                let number = self.take_while(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
                let number = std::str::from_utf8(number).ok()?;
                if let Ok(whole) = number.parse() {
                    return Some(Parameter::Integer(whole));
                }
                let number = number.parse().ok().filter(|number: &f64| number.is_finite());
                Some(number.map_or(Parameter::Other, Parameter::Number))
            }
            _ => self.entity(depth).map(Parameter::Typed),
        }
    }
}

/// The position of the closing quote after a string. A doubled quote is part of the string.
fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut quotes = memchr::memchr_iter(b'\'', text);
    while let Some(place) = quotes.next() {
        if text.get(place + 1) != Some(&b'\'') {
            return Some(place);
        }
        quotes.next();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{NESTING_MAX, Parameter, Record};

    #[test]
    fn every_kind_of_parameter_is_read() {
        let statement =
            b"\n#12 = /* 'x */ A_B ( 'it''s', $ ,*, #7, -1.5E-3, .5, 0.E+000, 7, .MILLI., \"0F\", (#1,(2)), M(3.) )";
        let record = Record::parse(statement).unwrap();
        assert_eq!((record.id, record.entities[0].keyword), (12, &b"A_B"[..]));
        use Parameter::{Derived, Enumeration, Integer, List, Number, Other, Reference, Text, Unset};
        let parameters = &record.entities[0].parameters;
        assert_eq!(
            parameters[..11],
            [
                Text(b"it''s"),
                Unset,
                Derived,
                Reference(7),
                Number(-0.0015),
                Number(0.5),
                Number(0.0),
                Integer(7),
                Enumeration(b"MILLI"),
                Other,
                List(vec![Reference(1), List(vec![Integer(2)])]),
            ]
        );
        assert_eq!(parameters[11].number(), Some(3.0));
    }

    #[test]
    fn a_complex_instance_has_its_parts() {
        let record = Record::parse(b"#1=(A('x')B()\nC(#2))").unwrap();
        assert_eq!(record.entity(&[b"C"]).unwrap().reference(0), Some(2));
        assert_eq!(record.entities.len(), 3);
    }

    #[test]
    fn invalid_statements_are_refused() {
        let deep = format!("#1=A{}{}", "(".repeat(NESTING_MAX + 1), ")".repeat(NESTING_MAX + 1));
        for bad in [
            "",
            "#1",
            "#1=",
            "#=A()",
            "#1 A()",
            "#1=A(",
            "#1=A('x)",
            "#1=A()B()",
            "#1=()",
            "#1=(A()",
            "#1=A(#)",
            "#1=A(.X)",
            "#1=A(\"0)",
            "#1=A(/*)",
            "#99999999999999999999=A()",
            "ENDSEC",
            &deep,
        ] {
            assert_eq!(Record::parse(bad.as_bytes()), None, "{bad}");
        }
        // An infinite number.
        assert_eq!(Record::parse(b"A(1E999)").unwrap().entities[0].parameters, [Parameter::Other]);
    }
}
