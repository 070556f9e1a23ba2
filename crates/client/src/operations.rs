//! The operations of both planes: one table for each resource, from which the methods of [`crate::Client`] come.
//!
//! A test compares the tables with the OpenAPI documents. Operations of the data plane take grants and streams, so that
//! their methods are written out in [`crate::Session`] and [`crate::Downloads`]; [`data`] has their addresses. Bodies
//! that only state a card's history head are left out: [`crate::Call::if_match`] states it, too.

use crate::operation::Operation;

/// Declares operations of the control plane: method's name, id, effect, verb, path, parameters, query, body, answer.
macro_rules! operations {
    ($(
        $(#[$doc:meta])+
        $name:ident $id:literal $effect:ident $verb:ident $path:literal
        ($($parameter:ident: $type:ty),*) $(query $query:ident)? $(body $body:ident)? => $answer:ty;
    )+) => {
        /// The operations of this resource.
        pub(super) const OPERATIONS: &[$crate::operation::Operation] = &[$(
            $crate::operation::Operation {
                id: $id,
                plane: $crate::operation::Plane::Control,
                verb: stringify!($verb),
                path: $path,
                query: stringify!($($query)?),
                body: stringify!($($body)?),
                answer: stringify!($answer),
                effect: $crate::operation::Effect::$effect,
            },
        )+];

        /// The operations of this resource.
        impl $crate::connection::Client {$(
            $(#[$doc])+
            pub fn $name(&self, $($parameter: &$type,)* $(body: &$body)?) -> $crate::call::Call<$answer $(, $query)?> {
                const OPERATION: &$crate::operation::Operation = &$crate::operation::Operation {
                    id: $id,
                    plane: $crate::operation::Plane::Control,
                    verb: stringify!($verb),
                    path: $path,
                    query: stringify!($($query)?),
                    body: stringify!($($body)?),
                    answer: stringify!($answer),
                    effect: $crate::operation::Effect::$effect,
                };
                $crate::call::Call::new(self, OPERATION, &[$($parameter),*])$(.json::<$body>(body))?
            }
        )+}
    };
}

mod account;
mod boards;
mod cards;
mod content;
mod data;
mod executions;
mod organizations;
mod packages;
mod projects;
mod sessions;
mod sprints;
mod teams;
mod versions;

/// The operations of this crate by resource.
const RESOURCES: [&[Operation]; 13] = [
    account::OPERATIONS,
    boards::OPERATIONS,
    cards::OPERATIONS,
    content::OPERATIONS,
    data::OPERATIONS,
    executions::OPERATIONS,
    organizations::OPERATIONS,
    packages::OPERATIONS,
    projects::OPERATIONS,
    sessions::OPERATIONS,
    sprints::OPERATIONS,
    teams::OPERATIONS,
    versions::OPERATIONS,
];

/// All operations of this crate.
pub fn operations() -> impl Iterator<Item = &'static Operation> {
    RESOURCES.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::operations;
    use crate::operation::{Operation, Plane};

    #[test]
    fn operations_have_one_place_each() {
        let ids: BTreeSet<_> =
            operations().map(|operation| (operation.id, operation.plane == Plane::Data)).collect();
        let places: BTreeSet<_> = operations().map(|operation| (operation.verb, operation.path)).collect();
        assert_eq!((ids.len(), places.len()), (operations().count(), operations().count()));
    }

    #[test]
    fn only_posts_create_and_a_file_is_replaced() {
        let creates = |operation: &&Operation| operation.takes_key() && operation.verb != "POST";
        let others: Vec<&str> = operations().filter(creates).map(|operation| operation.id).collect();
        assert_eq!(others, ["replaceFile"]);
    }
}
