//! The filter of a saved view: that of lists of cards, in JSON with lists.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::TeamId;
use crate::planning::card::{
    AssigneeTerms, AuthorTerms, DueTerms, ParentTerms, PriorityTerms, SprintTerms, StatusTerms, TagTerms,
    TeamTerms, TermList, TypeTerms,
};
use crate::planning::custom_field::FieldFilters;
use crate::text::Text;
use crate::time::DateOrTime;

/// Declares the filter: lists of terms, and single values.
macro_rules! view_filter {
    (lists { $($(#[$list_meta:meta])+ $list:ident: $terms:ty,)+ } values { $($(#[$meta:meta])+ $field:ident: $type:ty,)+ }) => {
        /// A filter of cards, with the parameters of `listCards`. In lists, `!` in front of a value means not.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct ViewFilter {
            $($(#[$list_meta])+
            #[serde(
                default,
                skip_serializing_if = "Option::is_none",
                serialize_with = "write_terms",
                deserialize_with = "read_terms"
            )]
            pub $list: Option<$terms>,)+
            $($(#[$meta])+ #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)+
        }
    };
}

view_filter! {
    lists {
        /// Tags.
        tag: TagTerms,
        /// Assignees, also `me` and `none`.
        assignee: AssigneeTerms,
        /// Creators, also `me`.
        author: AuthorTerms,
        /// Priorities.
        priority: PriorityTerms,
        /// Types.
        #[serde(rename = "type")]
        card_type: TypeTerms,
        /// Parents.
        parent: ParentTerms,
        /// Deadlines.
        due: DueTerms,
        /// Teams of boards.
        team: TeamTerms,
        /// Columns of boards.
        status: StatusTerms,
        /// Sprints.
        sprint: SprintTerms,
    }
    values {
        /// Only open cards, or only closed ones.
        open: bool,
        /// Only blocked cards, or only others.
        blocked: bool,
        /// Text.
        q: Text<200>,
        /// Changed since.
        updated_since: DateOrTime,
        /// Deadline at this time or later.
        deadline_after: DateOrTime,
        /// Deadline before this time.
        deadline_before: DateOrTime,
        /// Custom fields, as the JSON of the parameter.
        fields: FieldFilters,
    }
}

impl ViewFilter {
    /// The team whose board it shows: the only one that it names.
    pub fn board(&self) -> Option<TeamId> {
        let terms = &self.team.as_ref()?.0;
        match (terms.any_of.as_slice(), terms.none_of.as_slice()) {
            ([team], []) => team.0,
            _ => None,
        }
    }
}

fn write_terms<S: Serializer, T: fmt::Display, const MAX: usize>(
    terms: &Option<TermList<T, MAX>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    terms.as_ref().map(TermList::texts).serialize(serializer)
}

fn read_terms<'de, D: Deserializer<'de>, T: FromStr + PartialEq, const MAX: usize>(
    deserializer: D,
) -> Result<Option<TermList<T, MAX>>, D::Error>
where
    T::Err: fmt::Display,
{
    let texts: Option<Vec<String>> = Option::deserialize(deserializer)?;
    texts.map(|texts| TermList::read(texts.iter().map(String::as_str))).transpose().map_err(D::Error::custom)
}
