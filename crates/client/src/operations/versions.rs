//! Branches, commits, comparisons and merges.

use api::branches::{BranchResponse, CreateBranchRequest, DeleteBranchResponse, ListBranchesResponse};
use api::commits::{CommitResponse, CreateCommitRequest, ListCommitsResponse};
use api::compare::{CompareQuery, CompareResponse};
use api::merges::{MergeRequest, MergeResponse, RevertRequest};
use api::page::PageQuery;
use domain::id::ProjectId;
use domain::object::CommitHash;
use domain::project::BranchName;

operations! {
    /// Lists a project's branches.
    list_branches "listBranches" Repeatable GET "/api/v2/projects/{projectId}/branches"
        (project: ProjectId) query PageQuery => ListBranchesResponse;
    /// Creates a branch.
    create_branch "createBranch" Creates POST "/api/v2/projects/{projectId}/branches"
        (project: ProjectId) body CreateBranchRequest => BranchResponse;
    /// Reads a branch.
    get_branch "getBranch" Repeatable GET "/api/v2/projects/{projectId}/branches/{branch}"
        (project: ProjectId, branch: BranchName) => BranchResponse;
    /// Deletes a branch.
    delete_branch "deleteBranch" Repeatable DELETE "/api/v2/projects/{projectId}/branches/{branch}"
        (project: ProjectId, branch: BranchName) => DeleteBranchResponse;
    /// Reads a branch's history, newest first.
    list_commits "listCommits" Repeatable GET "/api/v2/projects/{projectId}/branches/{branch}/commits"
        (project: ProjectId, branch: BranchName) query PageQuery => ListCommitsResponse;
    /// Commits a branch's changes.
    create_commit "createCommit" Creates POST "/api/v2/projects/{projectId}/branches/{branch}/commits"
        (project: ProjectId, branch: BranchName) body CreateCommitRequest => CommitResponse;
    /// Reads a commit.
    get_commit "getCommit" Repeatable GET "/api/v2/projects/{projectId}/commits/{hash}"
        (project: ProjectId, hash: CommitHash) => CommitResponse;
    /// Reverts a commit.
    revert_commit "revertCommit" Changes POST "/api/v2/projects/{projectId}/commits/{hash}/revert"
        (project: ProjectId, hash: CommitHash) body RevertRequest => MergeResponse;
    /// Merges into a branch.
    merge_branch "mergeBranch" Changes POST "/api/v2/projects/{projectId}/branches/{branch}/merge"
        (project: ProjectId, branch: BranchName) body MergeRequest => MergeResponse;
    /// Compares two commits or branches.
    compare_commits "compareCommits" Repeatable GET "/api/v2/projects/{projectId}/compare"
        (project: ProjectId) query CompareQuery => CompareResponse;
}
