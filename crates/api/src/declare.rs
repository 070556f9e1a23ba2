//! The macro that declares operations. Each is a type that states its method, its path, the types of its input and its
//! answer, and its effect, once: a service binds a handler to it, a client calls it, and the OpenAPI documents, the
//! tools and the reference are made of it.
//!
//! ```
//! use api::operation::Raw;
//! use api::{operations, tags};
//!
//! operations! {
//!     tag: tags::DOCUMENT;
//!
//!     /// Answers the time. Use it to set a clock.
//!     GetTime = Get "/api/v2/time" {
//!         summary: "Read the time",
//!         answer: Raw,
//!         effect: Reads,
//!     }
//! }
//!
//! assert_eq!(OPERATIONS[0].id, "getTime");
//! ```

/// The id of the operation whose type has this name of `LENGTH` bytes: its first letter is small.
#[must_use]
pub const fn id_bytes<const LENGTH: usize>(name: &str) -> [u8; LENGTH] {
    let mut bytes = match name.as_bytes().first_chunk::<LENGTH>() {
        Some(bytes) => *bytes,
        None => [b'?'; LENGTH],
    };
    if let Some(first) = bytes.first_mut() {
        *first = first.to_ascii_lowercase();
    }
    bytes
}

/// Declares the operations of a module, as types named like their ids, and lists them as `OPERATIONS`.
///
/// The doc comment of an operation is its text in the OpenAPI document. An operation without parameters or a body leaves
/// out `path`, `query` and `body`; `also` has further methods of [`crate::operation::Declaration`].
#[macro_export]
macro_rules! operations {
    ($(
        tag: $tag:expr;
        $(
            $(#[doc = $text:literal])+
            $name:ident = $method:ident $path:literal {
                summary: $summary:literal,
                $(path: $path_type:ty,)?
                $(query: $query:ty,)?
                $(body: $body:ty,)?
                answer: $answer:ty,
                effect: $effect:ident,
                $(tool: $tool:ident($($of_tool:expr),+),)?
                $(also: $($property:ident($($argument:expr)?)),+,)?
            }
        )+
    )+) => {
        /// The operations of this module, in the order of their documentation.
        pub const OPERATIONS: &[&$crate::operation::Declaration] = &[
            $($(&<$name as $crate::operation::Operation>::DECLARATION,)+)+
        ];

        $($(
            $(#[doc = $text])+
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl $crate::operation::Operation for $name {
                type Path = $crate::type_or!($crate::operation::NoPath $(, $path_type)?);
                type Query = $crate::type_or!($crate::operation::NoQuery $(, $query)?);
                type Body = $crate::type_or!($crate::operation::NoBody $(, $body)?);
                type Answer = $answer;

                const DECLARATION: $crate::operation::Declaration = {
                    const ID: [u8; stringify!($name).len()] = $crate::declare::id_bytes(stringify!($name));
                    let id = match str::from_utf8(&ID) {
                        Ok(id) => id,
                        Err(_) => stringify!($name),
                    };
                    $crate::operation::Declaration::new(
                        id,
                        &$tag,
                        $crate::operation::Method::$method,
                        $path,
                        $crate::operation::Effect::$effect,
                    )
                    .described($summary, concat!($($text, "\n"),+))
                    $(.tool($crate::operation::ToolMembership::$tool($($of_tool),+)))?
                    $($(.$property($($argument)?))+)?
                };
            }
        )+)+
    };
}

/// The second type, or the first where it is the only one.
#[doc(hidden)]
#[macro_export]
macro_rules! type_or {
    ($default:ty) => {
        $default
    };
    ($default:ty, $given:ty) => {
        $given
    };
}

#[cfg(test)]
mod tests {
    use crate::operation::{Effect, Operation};
    use crate::planning::cards::{CreateCard, ListCards};

    #[test]
    fn an_operation_has_the_id_of_its_type_and_the_text_of_its_comment() {
        let declared = CreateCard::DECLARATION;
        assert_eq!((declared.id, declared.effect), ("createCard", Effect::Creates));
        assert!(declared.text.starts_with(" Creates an open card"), "{}", declared.text);
        assert!(declared.is_audited && !ListCards::DECLARATION.is_audited);
    }
}
