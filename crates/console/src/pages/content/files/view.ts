// The state that the parts of a page of files share.

import { effect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { dropTarget } from "../../../model/content/drop";
import type { Files } from "../../../model/content/files";
import type { OpenFiles } from "../../../model/content/open-files";
import type { PreviewEvents } from "../../../model/content/preview-events";
import type { CardLinks } from "../../../model/planning/card-links";
import { search, setParameters } from "../../../ui/address";
import type { Means } from "../../../ui/tree-rows";

export interface FilesView {
  files: Files;
  links: CardLinks;
  previews: PreviewEvents;
  tree: RefObject<HTMLDivElement | null>;
  object: RefObject<HTMLElement | null>;
  /** Shows an object. What a person opens is a step of the way back; passing by with keys adds none. */
  choose: (id: string | null, by?: Means | "view") => void;
}

/** Time after which the address follows keys that go through the tree: browsers allow few changes a second. */
const FOLLOW_MS = 150;

const isNarrow = () => matchMedia("(max-width: 720px)").matches;

export function useFilesView({ files, links, previews }: OpenFiles): FilesView {
  const [tree, object, timer] = [useRef<HTMLDivElement>(null), useRef<HTMLElement>(null), useRef(0)];
  const choose = (id: string | null, by?: Means | "view") => {
    clearTimeout(timer.current);
    if (by !== "arrows") setParameters({ object: id }, { push: by !== undefined });
    else timer.current = window.setTimeout(() => setParameters({ object: id }), FOLLOW_MS);
    void files.select(id);
    if (by === "enter" || (by === "pointer" && isNarrow())) requestAnimationFrame(() => object.current?.focus());
  };
  useAddress(files, tree);
  useEffect(() => effect(() => {
    const made = files.arrived.value;
    // Somebody who is asked something stays there.
    if (!made || document.querySelector("dialog[open]")) return;
    files.arrived.value = null;
    choose(made);
  }), [files]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { files, links, previews, tree, object, choose };
}

/** Follows the object of the address, and tells where dropped files go. */
function useAddress(files: Files, tree: RefObject<HTMLDivElement | null>): void {
  const wanted = search.value.get("object");
  useEffect(() => {
    const before = files.tree.selected.peek();
    if (wanted !== before || (wanted && !files.shown.peek())) void files.select(wanted);
    if (before && !wanted && isNarrow()) requestAnimationFrame(() => tree.current?.focus());
  }, [wanted, files]);
  useEffect(() => effect(() => {
    const parent = files.folder.value;
    dropTarget.value = { target: files.target, parent, name: files.nameOf(parent) };
  }), [files]);
  useEffect(() => () => { dropTarget.value = null; }, []);
}
