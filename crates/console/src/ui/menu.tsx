// Menus: a list of choices at a control, with a field to find one where there are many. The platform's popover closes
// them and returns the focus.

import { useComputed, useSignal, type Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Button, type ButtonProps } from "./button";
import { Icon } from "./icon";
import { isComposing } from "./keys";
import { menu, openMenu, type MenuEntry, type MenuOptions, type OpenMenu } from "./menu-state";

const GAP_PX = 4;
const SEARCH_MS = 150;
const MOST = 100;

/** A button that opens a menu. */
export function MenuButton({
  options,
  failed,
  ...button
}: ButtonProps & {
  options: () => MenuOptions | Promise<MenuOptions>;
  /** Told why the entries can't be read. */
  failed?: (error: unknown) => void;
}) {
  const control = useRef<HTMLButtonElement>(null);
  const isOpen = useComputed(() => menu.value !== null && menu.value.anchor === control.current);
  const show = async () => {
    if (control.current) openMenu(control.current, await options());
  };
  return (
    <Button
      {...button}
      popup="menu"
      expanded={isOpen.value}
      controlRef={control}
      onClick={() => void show().catch(failed)}
    />
  );
}

/** Shows the open menu. `inDialog` shows those of controls in a dialog, which makes all outside of it inert. */
export function MenuHost({ inDialog = false }: { inDialog?: boolean }) {
  const open = menu.value;
  if (!open || (open.anchor.closest("dialog") !== null) !== inDialog) return null;
  return <Popover key={open.options.label} open={open} />;
}

function Popover({ open }: { open: OpenMenu }) {
  const { options, anchor } = open;
  const element = useRef<HTMLDivElement>(null);
  const query = useSignal("");
  const found = useFound(options, query);
  useLayoutEffect(() => {
    const shown = element.current;
    if (!shown) return;
    shown.showPopover();
    placeBelow(shown, options.at ? new DOMRect(options.at.x, options.at.y) : anchor.getBoundingClientRect());
    (shown.querySelector<HTMLElement>("input, [aria-checked=true]") ?? shown.querySelector("button"))?.focus();
  }, []);
  const close = () => element.current?.hidePopover();
  const entries = entriesOf(options, query.value, found.value);
  const choose = (entry: MenuEntry) => {
    if (!options.stays || entry.checked === undefined) close();
    void entry.run();
  };
  return (
    <div
      ref={element}
      class="menu"
      popover="auto"
      role={options.find ? "dialog" : undefined}
      aria-label={options.label}
      onKeyDown={(event) => onKey(event, close)}
      onToggle={(event) => {
        if (event.newState === "closed" && menu.peek() === open) menu.value = null;
      }}
    >
      {options.find && (
        <input
          type="text"
          aria-label={options.find}
          placeholder={options.find}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
      )}
      {entries.length > 0 && (
        <ul role="menu" aria-label={options.label}>
          {entries.map((entry, at) => (
            <Item
              key={`${entry.part ?? ""} ${entry.name} ${at}`}
              entry={entry}
              above={entries[at - 1]}
              hasLead={entries.some(({ lead }) => lead)}
              choose={choose}
            />
          ))}
        </ul>
      )}
      {entries.length === 0 && options.empty && <p class="soft menu-none">{options.empty}</p>}
    </div>
  );
}

interface ItemProps {
  entry: MenuEntry;
  above: MenuEntry | undefined;
  hasLead: boolean;
  choose: (entry: MenuEntry) => void;
}

function Item({ entry, above, hasLead, choose }: ItemProps) {
  const begins = above && (entry.part !== above.part || (entry.danger && !above.danger));
  return (
    <li role="none" class={begins ? "menu-part" : undefined}>
      <button
        type="button"
        tabIndex={-1}
        class={entry.danger ? "menu-item danger" : "menu-item"}
        role={entry.checked === undefined ? "menuitem" : "menuitemcheckbox"}
        aria-checked={entry.checked}
        onClick={() => choose(entry)}
      >
        {hasLead && <span class="menu-lead">{entry.lead}</span>}
        <span class="name" dir="auto">
          {entry.name}
        </span>
        {entry.key && <kbd>{entry.key}</kbd>}
        {entry.checked && <Icon name="check" />}
      </button>
    </li>
  );
}

/** The entries that a search has found for the query. */
function useFound({ search }: MenuOptions, query: Signal<string>): Signal<MenuEntry[]> {
  const found = useSignal<MenuEntry[]>([]);
  useEffect(() => {
    if (!search) return;
    let isLeft = false;
    const timer = setTimeout(
      () => {
        search(query.value.trim()).then(
          (entries) => {
            if (!isLeft) found.value = entries;
          },
          () => {},
        );
      },
      query.value ? SEARCH_MS : 0,
    );
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [query.value]);
  return found;
}

function entriesOf({ entries, search, create }: MenuOptions, typed: string, found: MenuEntry[]): MenuEntry[] {
  const query = typed.trim();
  const folded = query.toLocaleLowerCase();
  const known = search && query ? found : entries();
  const fit = search ? known : known.filter((entry) => entry.name.toLocaleLowerCase().includes(folded));
  const isNew = create && query && !known.some((entry) => entry.name.toLocaleLowerCase() === folded);
  return [...fit.slice(0, MOST), ...(isNew ? [create(query)] : [])];
}

function onKey(event: KeyboardEvent & { currentTarget: HTMLElement }, close: () => void): void {
  if (isComposing(event)) return;
  event.stopPropagation();
  const [input, buttons] = [
    event.currentTarget.querySelector("input"),
    [...event.currentTarget.querySelectorAll("button")],
  ];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const moves: Record<string, (() => void) | undefined> = {
    Escape: close,
    Tab: close,
    ArrowDown: () => buttons[(at + 1) % buttons.length]?.focus(),
    ArrowUp: () => (at <= 0 && input ? input : buttons[(at - 1 + buttons.length) % buttons.length])?.focus(),
    ...(event.target === input
      ? { Enter: () => buttons[0]?.click() }
      : { Home: () => buttons[0]?.focus(), End: () => buttons.at(-1)?.focus() }),
  };
  const move = moves[event.key];
  if (!move) return;
  event.preventDefault();
  move();
}

/** Puts an element below a rectangle, or where there is room. */
export function placeBelow(element: HTMLElement, at: DOMRect): void {
  const { width, height } = element.getBoundingClientRect();
  const below = at.bottom + GAP_PX;
  const above = Math.max(GAP_PX, Math.min(at.top - height - GAP_PX, innerHeight - height));
  element.style.left = `${Math.max(GAP_PX, Math.min(at.left, innerWidth - width - GAP_PX))}px`;
  element.style.top = `${below + height <= innerHeight ? below : above}px`;
}
