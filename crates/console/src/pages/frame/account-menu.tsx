// The menu under the person's mark: their pages, and signing out.

import { useEffect, useRef } from "preact/hooks";
import { signOut } from "../../api/session";
import { caller, readAccount } from "../../model/people/account";
import { text } from "../../text";
import { Avatar } from "../../ui/avatar";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";

const PAGES = [
  { href: "/account", icon: "person", name: text.account.title },
  { href: "/account/keys", icon: "key", name: text.keys.title },
  { href: "/account/calendars", icon: "calendar", name: text.calendars.title },
  { href: "/account/usage", icon: "chart", name: text.usage.title },
  { href: "/orgs", icon: "people", name: text.organizations.title },
];

export function AccountMenu() {
  const menu = useRef<HTMLDivElement>(null);
  // A refusal is told by the page, which asks for the same.
  useEffect(() => { void readAccount().catch(() => {}); }, []);
  const user = caller.value;
  if (!user) return null;
  const close = () => menu.current?.hidePopover();
  return (
    <div>
      <button type="button" class="button plain" aria-label={text.frame.account} title={user.name}
        popovertarget="account-menu"><Avatar name={user.name} of={user.id} decorative /></button>
      <div ref={menu} class="account-menu" id="account-menu" popover="auto">
        <p class="who"><strong dir="auto">{user.name}</strong><span class="soft">{user.email}</span></p>
        <ul>
          {PAGES.map(({ href, icon, name }) => (
            <li key={href}><a href={href} onClick={close}><Icon name={icon} />{name}</a></li>
          ))}
          <li><Button name={text.frame.signOut} icon="out" kind="plain" onClick={() => void signOut()} /></li>
        </ul>
      </div>
    </div>
  );
}
