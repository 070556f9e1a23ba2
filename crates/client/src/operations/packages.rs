//! Public packages and includes.

use api::includes::{CreateIncludeRequest, GetIncludeResponse, IncludeResponse, UpdateIncludeRequest};
use api::packages::{
    GetPackageQuery, GetPackageResponse, ListPackagesQuery, ListPackagesResponse, PackageResponse,
    PublishPackageRequest, WithdrawPackageResponse,
};
use domain::id::ObjectId;
use domain::project::ProjectRef;

operations! {
    /// Lists a project's public packages.
    list_packages "listPackages" Repeatable GET "/api/v2/projects/{projectId}/packages"
        (project: ProjectRef) query ListPackagesQuery => ListPackagesResponse;
    /// Reads a public package.
    get_package "getPackage" Repeatable GET "/api/v2/projects/{projectId}/packages/{packageId}"
        (project: ProjectRef, package: ObjectId) query GetPackageQuery => GetPackageResponse;
    /// Publishes a package.
    publish_package "publishPackage" Repeatable PUT "/api/v2/projects/{projectId}/packages/{packageId}"
        (project: ProjectRef, package: ObjectId) body PublishPackageRequest => PackageResponse;
    /// Withdraws a public package.
    withdraw_package "withdrawPackage" Repeatable DELETE "/api/v2/projects/{projectId}/packages/{packageId}"
        (project: ProjectRef, package: ObjectId) => WithdrawPackageResponse;
    /// Includes a package of another project.
    create_include "createInclude" Creates POST "/api/v2/projects/{projectId}/includes"
        (project: ProjectRef) body CreateIncludeRequest => IncludeResponse;
    /// Reads an include with its content.
    get_include "getInclude" Repeatable GET "/api/v2/projects/{projectId}/includes/{includeId}"
        (project: ProjectRef, include: ObjectId) => GetIncludeResponse;
    /// Pins an include to another commit.
    update_include "updateInclude" Changes PATCH "/api/v2/projects/{projectId}/includes/{includeId}"
        (project: ProjectRef, include: ObjectId) body UpdateIncludeRequest => IncludeResponse;
}
