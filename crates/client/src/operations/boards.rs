//! Boards, their columns, and the cards on them.

use api::boards::{
    GetBoardQuery, GetBoardResponse, PlaceCardRequest, PlaceCardResponse, PlaceCardsRequest,
    PlaceCardsResponse,
};
use api::cards::EndResponse;
use api::page::PageQuery;
use api::teams::{
    AvailableTeamCardsResponse, CreateStatusRequest, DeleteStatusRequest, DeleteStatusResponse,
    ListAvailableCardsQuery, ListStatusesResponse, StatusResponse, UpdateStatusRequest,
};
use domain::id::{CardId, OrganizationId, StatusId, TeamId};

operations! {
    /// Reads a team's board.
    get_board "getBoard" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}/board"
        (organization: OrganizationId, team: TeamId) query GetBoardQuery => GetBoardResponse;
    /// Places or moves a card on a team's board.
    place_card "placeCard" Repeatable PUT "/api/v2/orgs/{orgId}/teams/{teamId}/cards/{cardId}"
        (organization: OrganizationId, team: TeamId, card: CardId) body PlaceCardRequest => PlaceCardResponse;
    /// Places or moves several cards on a team's board.
    place_cards "placeCards" Repeatable PUT "/api/v2/orgs/{orgId}/teams/{teamId}/cards"
        (organization: OrganizationId, team: TeamId) body PlaceCardsRequest => PlaceCardsResponse;
    /// Removes a card from a team's board.
    remove_card "removeCard" Repeatable DELETE "/api/v2/orgs/{orgId}/teams/{teamId}/cards/{cardId}"
        (organization: OrganizationId, team: TeamId, card: CardId) => EndResponse;
    /// Searches the cards that a team can take onto its board.
    list_available_cards "listAvailableCards" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}/available-cards"
        (organization: OrganizationId, team: TeamId) query ListAvailableCardsQuery => AvailableTeamCardsResponse;
    /// Lists the status columns of a team's board.
    list_statuses "listStatuses" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}/statuses"
        (organization: OrganizationId, team: TeamId) query PageQuery => ListStatusesResponse;
    /// Creates a status column.
    create_status "createStatus" Creates POST "/api/v2/orgs/{orgId}/teams/{teamId}/statuses"
        (organization: OrganizationId, team: TeamId) body CreateStatusRequest => StatusResponse;
    /// Reads a status column.
    get_status "getStatus" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}/statuses/{statusId}"
        (organization: OrganizationId, team: TeamId, status: StatusId) => StatusResponse;
    /// Changes or moves a status column.
    update_status "updateStatus" Changes PATCH "/api/v2/orgs/{orgId}/teams/{teamId}/statuses/{statusId}"
        (organization: OrganizationId, team: TeamId, status: StatusId) body UpdateStatusRequest => StatusResponse;
    /// Deletes a status column.
    delete_status "deleteStatus" Repeatable DELETE "/api/v2/orgs/{orgId}/teams/{teamId}/statuses/{statusId}"
        (organization: OrganizationId, team: TeamId, status: StatusId) query DeleteStatusRequest
        => DeleteStatusResponse;
}
