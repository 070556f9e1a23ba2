// What stands around the pages of an account and of an organization: the navigation beside them, and breadcrumbs.

import { text } from "../text.js";
import { organizationCrumb } from "./crumbs.js";
import { navigation } from "./navigation.js";

/** The pages of the caller's account. @param {string} here */
export function accountPlaces(here) {
  return places([
    { name: text.account.title, href: "/account", icon: "person" },
    { name: text.keys.title, href: "/account/keys", icon: "key" },
    { name: text.usage.title, href: "/account/usage", icon: "chart" },
    { name: text.organizations.title, href: "/orgs", icon: "people" },
  ], here);
}

/**
 * The breadcrumbs of an organization's page, and the other pages. `below` is what the breadcrumbs end with.
 * @param {any} org @param {string} here @param {...import("../router.js").Crumb} below
 */
export function organizationPlaces(org, here, ...below) {
  const root = `/orgs/${org.id}`;
  const pages = places([
    { name: text.members.title, href: root, icon: "people" },
    { name: text.teams.title, href: `${root}/teams`, icon: "board" },
    ...(manages(org) ? [{ name: text.keys.accounts, href: `${root}/keys`, icon: "key" },
      { name: text.usage.title, href: `${root}/usage`, icon: "chart" },
      { name: text.settings.title, href: `${root}/settings`, icon: "settings" }] : []),
  ], here);
  return { crumbs: [organizationCrumb(org.id, org.name), ...below], navigation: pages };
}

/** True if the caller manages the organization. @param {any} org */
export function manages(org) {
  return org.role === "admin" || org.role === "owner";
}

/** @param {{ name: string, href: string, icon: string }[]} pages @param {string} here */
function places(pages, here) {
  return navigation(pages.map((page) => ({ ...page, here: page.href === here })));
}
