// The frame of all pages: one row on top, navigation at the left, the place of the content, messages and status.

import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isSignedIn, signOut } from "../../api/session";
import { steps } from "../../model/first-steps";
import { dismiss, messages } from "../../model/messages";
import { undo } from "../../model/undo";
import { text } from "../../text";
import { useActions, type Action } from "../../ui/actions";
import { open } from "../../ui/address";
import { Button } from "../../ui/button";
import { DialogHost } from "../../ui/dialog";
import { Icon } from "../../ui/icon";
import { MenuHost } from "../../ui/menu";
import { place } from "../../ui/place";
import { toggleScheme } from "../../ui/scheme";
import { Toasts } from "../../ui/toast";
import { AccountMenu } from "./account-menu";
import { Breadcrumbs } from "./crumbs";
import { DropAnywhere } from "./drop";
import { FirstSteps } from "./first-steps";
import { openKeys } from "./keys-dialog";
import { Navigation, navigationActions } from "./navigation";
import { openPalette } from "./palette";
import { Status } from "./status";

/** `path` names the page that is shown; a page that opens has the focus, so that screen readers begin there. */
export function Frame({
  path,
  isWaiting,
  children,
}: {
  path: string;
  isWaiting: boolean;
  children: ComponentChildren;
}) {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const title = useComputed(() => place.value.title);
  // Before the browser draws, so that a page and its title are always of the same place.
  useLayoutEffect(() => {
    document.title = title.value ? `${title.value} · ${text.product}` : text.product;
  }, [title.value]);
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  useActions(() => (isSignedIn.value ? everywhere() : []));
  return (
    <>
      <a class="skip" href="#content">
        {text.skip}
      </a>
      <Top />
      <div class="progress" hidden={!isWaiting} />
      <div class={steps.value ? "middle stepped" : "middle"}>
        {isSignedIn.value && <FirstSteps path={path} />}
        <Navigation />
        <main ref={main} id="content" tabIndex={-1}>
          {children}
          <MenuHost />
        </main>
      </div>
      <Toasts messages={messages.value} closeName={text.close} close={dismiss} />
      <Status />
      <DropAnywhere />
      <DialogHost />
    </>
  );
}

function Top() {
  return (
    <header class="top">
      <a class="brand" href="/" aria-label={text.product}>
        <Icon name="part" />
        <span>{text.product}</span>
      </a>
      <nav aria-label={text.frame.path} class="crumbs-place">
        <Breadcrumbs />
      </nav>
      {isSignedIn.value && (
        <Button
          name={text.palette.search}
          label={text.palette.search}
          icon="search"
          kind="find"
          onClick={() => openPalette({ isSearch: true })}
        >
          <kbd>/</kbd>
        </Button>
      )}
      <div class="account">
        <a href="/docs" class="button plain" target="_blank">
          {text.frame.docs}
        </a>
        <Button name={text.frame.scheme} icon="scheme" kind="plain" quiet onClick={toggleScheme} />
        {isSignedIn.value && <AccountMenu />}
      </div>
    </header>
  );
}

/** The actions of every page. */
function everywhere(): Action[] {
  return [
    { name: text.palette.title, key: "Ctrl+K", run: () => openPalette({ isSearch: false }) },
    { name: text.palette.search, key: "/", icon: "search", run: () => openPalette({ isSearch: true }) },
    { name: text.palette.keys, key: "?", icon: "keys", run: openKeys },
    { name: text.undo.title, key: "Ctrl+Z", icon: "back", run: undo },
    { name: text.palette.sends, key: "Ctrl+Enter" },
    { name: text.palette.goProjects, key: "g p", icon: "files", run: () => open("/projects") },
    { name: text.palette.goBoards, icon: "board", run: () => open("/boards") },
    ...navigationActions(),
    { name: text.frame.scheme, icon: "scheme", run: toggleScheme },
    { name: text.frame.signOut, icon: "out", run: signOut },
  ];
}
