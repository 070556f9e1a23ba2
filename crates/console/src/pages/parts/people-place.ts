// The frame of pages of an account or an organization: breadcrumbs, and the navigation beside them.

import type { Organization } from "../../api/places";
import { manages } from "../../model/people/account";
import { text } from "../../text";
import type { NavigationEntry, Place } from "../../ui/place";
import { organizationCrumb } from "./team-place";

const ACCOUNT = [
  { name: text.account.title, href: "/account", icon: "person" },
  { name: text.keys.title, href: "/account/keys", icon: "key" },
  { name: text.calendars.title, href: "/account/calendars", icon: "calendar" },
  { name: text.usage.title, href: "/account/usage", icon: "chart" },
  { name: text.organizations.title, href: "/orgs", icon: "people" },
];

/** The place of a page of the caller's account. `here` is its address. */
export function accountPlace(here: string, title: string): Place {
  const isOwn = here.startsWith("/account/");
  return {
    title,
    crumbs: [...(isOwn ? [{ name: text.account.title, href: "/account" }] : []), { name: title }],
    navigation: placesOf(ACCOUNT, here),
  };
}

/** The place of an organization's page. `here` is its path below that of the organization. */
export function organizationPlace(organization: Organization, here: string, title: string): Place {
  const root = `/orgs/${organization.id}`;
  const pages = [
    { name: text.members.title, href: root, icon: "people" },
    { name: text.teams.title, href: `${root}/teams`, icon: "board" },
    ...(manages(organization)
      ? [
          { name: text.keys.accounts, href: `${root}/keys`, icon: "key" },
          { name: text.usage.title, href: `${root}/usage`, icon: "chart" },
          { name: text.settings.title, href: `${root}/settings`, icon: "settings" },
        ]
      : []),
  ];
  return {
    title: `${title} · ${organization.name}`,
    crumbs: [organizationCrumb(organization.id, organization.name), { name: title }],
    navigation: placesOf(pages, root + here),
  };
}

const placesOf = (pages: readonly NavigationEntry[], here: string) =>
  pages.map((page) => ({ ...page, here: page.href === here }));
