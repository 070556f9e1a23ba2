// The choice of where an object goes: places with their paths, found by a part of them.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Files } from "../../../model/content/files";
import { holds } from "../../../model/content/tree";
import { text } from "../../../text";
import { openDialog } from "../../../ui/dialog";
import { Form } from "../../../ui/form";
import { isComposing } from "../../../ui/keys";
import type { FilesView } from "./view";

/** Most places that are listed at once. */
const LISTED = 500;
const ROWS = 10;

interface Into {
  id: string;
  name: string;
  path: string;
  level: number;
}

/** Asks where to move an object. */
export function askMove({ files }: FilesView, id: string): void {
  const title = text.files.moves(files.nameOf(id));
  const places = placesFor(files, id);
  openDialog((close) => (
    <>
      <h2>{title}</h2>
      <Form action={text.files.move} cancel={{ name: text.cancel, run: close }} send={async (form) => {
        void files.move(id, String(form.get("into")));
        close();
      }}>
        <Places places={places} present={files.nodeOf(id)?.parent ?? ""} />
      </Form>
    </>
  ), { label: title, kind: "wide" });
}

function placesFor({ tree, opened }: Files, moved: string): Into[] {
  const children = tree.children.peek();
  const places: Into[] = [{ id: tree.root, name: opened.project.name, path: opened.project.name, level: 0 }];
  // A tree may be deeper than the stack.
  const begin = (id: string, above: string, level: number) =>
    (children.get(id) ?? []).map((node) => ({ node, above, level })).reverse();
  const open = begin(tree.root, "", 1);
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, above, level } = next;
    // Nothing goes into itself.
    if (node.id === moved) continue;
    const path = above ? `${above} / ${node.name}` : node.name;
    if (holds(node)) places.push({ id: node.id, name: node.name, path, level });
    open.push(...begin(node.id, path, level + 1));
  }
  return places;
}

function Places({ places, present }: { places: readonly Into[]; present: string }) {
  const [query, chosen] = [useSignal(""), useSignal(present)];
  const list = useRef<HTMLSelectElement>(null);
  const wanted = query.value.trim().toLocaleLowerCase();
  const found = places.filter(({ path }) => path.toLocaleLowerCase().includes(wanted));
  const value = found.some(({ id }) => id === chosen.value) ? chosen.value : found[0]?.id ?? "";
  return (
    <>
      <div class="field">
        <label for="field-find-into">{text.files.findInto}</label>
        <input id="field-find-into" type="search" autocomplete="off"
          onInput={(event) => { query.value = event.currentTarget.value; }}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown" || isComposing(event)) return;
            event.preventDefault();
            list.current?.focus();
          }} />
      </div>
      <div class="field">
        <label for="field-into">{text.files.into}</label>
        <select ref={list} id="field-into" name="into" size={ROWS} required class="places" value={value}
          hidden={found.length === 0} onChange={(event) => { chosen.value = event.currentTarget.value; }}>
          {found.slice(0, LISTED).map(({ id, path, name, level }) => (
            <option key={id} value={id} title={path} selected={id === value}
              style={{ "--level": wanted ? 0 : Math.min(level, 20) }}>{wanted ? path : name}</option>
          ))}
        </select>
        <p class="soft" role="status">
          {found.length === 0 ? text.files.noInto
            : found.length > LISTED ? text.files.moreInto(found.length - LISTED) : ""}
        </p>
      </div>
    </>
  );
}
