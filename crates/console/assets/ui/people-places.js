// The pages of an account and of an organization, as the navigation beside them.

import { text } from "../text.js";
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

/** The pages of an organization. @param {any} org @param {string} here */
export function organizationPlaces(org, here) {
  const root = `/orgs/${org.id}`;
  return places([
    { name: text.members.title, href: root, icon: "people" },
    { name: text.teams.title, href: `${root}/teams`, icon: "board" },
    ...(manages(org) ? [{ name: text.keys.accounts, href: `${root}/keys`, icon: "key" },
      { name: text.usage.title, href: `${root}/usage`, icon: "chart" },
      { name: text.settings.title, href: `${root}/settings`, icon: "settings" }] : []),
  ], here);
}

/** True if the caller manages the organization. @param {any} org */
export function manages(org) {
  return org.role === "admin" || org.role === "owner";
}

/** @param {{ name: string, href: string, icon: string }[]} pages @param {string} here */
function places(pages, here) {
  return navigation(pages.map((page) => ({ ...page, here: page.href === here })));
}
