//! Cards with their comments, relations, tags and history.

use api::card_tags::{
    CardTagResponse, CreateCardTagRequest, DeleteCardTagResponse, ListCardTagsResponse, UpdateCardTagRequest,
};
use api::cards::{
    CardResponse, ChangeCardsRequest, ChangeCardsResponse, CommentResponse, CreateCommentRequest,
    DeleteCardResponse, EndResponse, GetCardResponse, ListCardsQuery, ListCardsResponse,
    ListCommentsResponse, UpdateCommentRequest,
};
use api::history::{HistoryQuery, ListHistoryResponse};
use api::page::PageQuery;
use domain::card::{CreateCard, UpdateCard};
use domain::id::{CardId, CommentId, ObjectId, ProjectId, TagId, UserId};
use domain::project::ProjectRef;
use domain::usage::report::CardUsageReport;

operations! {
    /// Searches the cards of all projects, last changed first.
    search_cards "searchCards" Repeatable GET "/api/v2/cards"
        () query ListCardsQuery => ListCardsResponse;
    /// Lists a project's cards.
    list_cards "listCards" Repeatable GET "/api/v2/projects/{projectId}/cards"
        (project: ProjectId) query ListCardsQuery => ListCardsResponse;
    /// Creates a card.
    create_card "createCard" Creates POST "/api/v2/projects/{projectId}/cards"
        (project: ProjectId) body CreateCard => CardResponse;
    /// Creates, changes and deletes many cards.
    change_cards "changeCards" Creates POST "/api/v2/projects/{projectId}/cards/bulk"
        (project: ProjectId) body ChangeCardsRequest => ChangeCardsResponse;
    /// Reads a card.
    get_card "getCard" Repeatable GET "/api/v2/projects/{projectId}/cards/{cardId}"
        (project: ProjectId, card: CardId) => GetCardResponse;
    /// Changes, closes or reopens a card.
    update_card "updateCard" Changes PATCH "/api/v2/projects/{projectId}/cards/{cardId}"
        (project: ProjectId, card: CardId) body UpdateCard => CardResponse;
    /// Deletes a card.
    delete_card "deleteCard" Repeatable DELETE "/api/v2/projects/{projectId}/cards/{cardId}"
        (project: ProjectId, card: CardId) => DeleteCardResponse;
    /// Reads a card's history.
    list_card_history "listCardHistory" Repeatable GET "/api/v2/projects/{projectId}/cards/{cardId}/history"
        (project: ProjectId, card: CardId) query HistoryQuery => ListHistoryResponse;
    /// Lists a card's comments.
    list_comments "listComments" Repeatable GET "/api/v2/projects/{projectId}/cards/{cardId}/comments"
        (project: ProjectId, card: CardId) query PageQuery => ListCommentsResponse;
    /// Comments on a card.
    create_comment "createComment" Creates POST "/api/v2/projects/{projectId}/cards/{cardId}/comments"
        (project: ProjectId, card: CardId) body CreateCommentRequest => CommentResponse;
    /// Changes a comment.
    update_comment "updateComment" Changes PATCH "/api/v2/projects/{projectId}/cards/{cardId}/comments/{commentId}"
        (project: ProjectId, card: CardId, comment: CommentId) body UpdateCommentRequest => CommentResponse;
    /// Deletes a comment.
    delete_comment "deleteComment" Repeatable DELETE "/api/v2/projects/{projectId}/cards/{cardId}/comments/{commentId}"
        (project: ProjectId, card: CardId, comment: CommentId) => EndResponse;
    /// Assigns a card to a user.
    assign_card "assignCard" Repeatable PUT "/api/v2/projects/{projectId}/cards/{cardId}/assignees/{userId}"
        (project: ProjectId, card: CardId, user: UserId) => CardResponse;
    /// Ends an assignment.
    unassign_card "unassignCard" Repeatable DELETE "/api/v2/projects/{projectId}/cards/{cardId}/assignees/{userId}"
        (project: ProjectId, card: CardId, user: UserId) => EndResponse;
    /// Puts a tag on a card.
    tag_card "tagCard" Repeatable PUT "/api/v2/projects/{projectId}/cards/{cardId}/tags/{tagId}"
        (project: ProjectId, card: CardId, tag: TagId) => CardResponse;
    /// Removes a tag from a card.
    untag_card "untagCard" Repeatable DELETE "/api/v2/projects/{projectId}/cards/{cardId}/tags/{tagId}"
        (project: ProjectId, card: CardId, tag: TagId) => EndResponse;
    /// Links a card to an object.
    link_card "linkCard" Repeatable PUT "/api/v2/projects/{projectId}/cards/{cardId}/objects/{objectId}"
        (project: ProjectRef, card: CardId, object: ObjectId) => CardResponse;
    /// Ends a card's link to an object.
    unlink_card "unlinkCard" Repeatable DELETE "/api/v2/projects/{projectId}/cards/{cardId}/objects/{objectId}"
        (project: ProjectRef, card: CardId, object: ObjectId) => EndResponse;
    /// Reports the cost of a card.
    get_card_usage "getCardUsage" Repeatable GET "/api/v2/projects/{projectId}/cards/{cardId}/usage"
        (project: ProjectId, card: CardId) => CardUsageReport;
    /// Reads a project's card history.
    list_history "listHistory" Repeatable GET "/api/v2/projects/{projectId}/history"
        (project: ProjectId) query HistoryQuery => ListHistoryResponse;
    /// Lists a project's card tags.
    list_card_tags "listCardTags" Repeatable GET "/api/v2/projects/{projectId}/card-tags"
        (project: ProjectId) => ListCardTagsResponse;
    /// Creates a card tag.
    create_card_tag "createCardTag" Creates POST "/api/v2/projects/{projectId}/card-tags"
        (project: ProjectId) body CreateCardTagRequest => CardTagResponse;
    /// Reads a card tag.
    get_card_tag "getCardTag" Repeatable GET "/api/v2/projects/{projectId}/card-tags/{tagId}"
        (project: ProjectId, tag: TagId) => CardTagResponse;
    /// Changes or archives a card tag.
    update_card_tag "updateCardTag" Changes PATCH "/api/v2/projects/{projectId}/card-tags/{tagId}"
        (project: ProjectId, tag: TagId) body UpdateCardTagRequest => CardTagResponse;
    /// Deletes a card tag.
    delete_card_tag "deleteCardTag" Repeatable DELETE "/api/v2/projects/{projectId}/card-tags/{tagId}"
        (project: ProjectId, tag: TagId) => DeleteCardTagResponse;
}
