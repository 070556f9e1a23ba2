// A project's files: its tree, the selected object, uploads and commits.

import { get } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { pause } from "../../api/persist.js";
import { followUploads, replaceFile, sendFiles } from "../../api/uploads.js";
import { open as openPath, remember, stepBack } from "../../router.js";
import { text } from "../../text.js";
import { register } from "../../ui/actions.js";
import { addressOf, branchList, placeOf } from "../../ui/branch.js";
import { button, fill, h, icon, loading } from "../../ui/dom.js";
import { droppedFiles } from "../../ui/dropped.js";
import { menu } from "../../ui/menu.js";
import { projectPlaces } from "../../ui/places.js";
import { released } from "../../ui/pointer.js";
import { separator } from "../../ui/separator.js";
import { openProject } from "../../ui/project.js";
import { tree } from "../../ui/tree.js";
import { sortedTree } from "../../ui/tree-order.js";
import { askClone, askCommit } from "./asks.js";
import { changedBelow } from "./changed.js";
import { edits } from "./edits.js";
import { interruptedUploads } from "./interrupted.js";
import { holds } from "./move.js";
import { objectView, outline } from "./object.js";
import { outcomes } from "./outcomes.js";

/** @type {Record<string, string>} */
const icons = { Package: "package", Include: "package", Folder: "folder", Code: "code", Document: "page", Page: "page",
  Assembly: "part", Part: "part", File: "file" };
const PASSING_MS = 30;
const narrow = matchMedia("(max-width: 720px)");

/** @type {import("../../router.js").Opener} */
export async function openFiles({ project: id }, search) {
  const { project, branch, branches } = await openProject(id, search);
  const place = placeOf(project, branch);
  const branchPath = `/projects/${id}/branches/${encodeURIComponent(branch)}`;
  const target = { place, href: addressOf(project, "", branch) };
  const view = h("section", { class: "object", "aria-live": "polite", tabindex: "-1" });
  const state = h("a", { class: "changes", href: addressOf(project, "/changes", branch) });
  const picker = h("input", { type: "file", multiple: true, hidden: true, "aria-label": text.files.upload, onchange: () => {
    send([...(picker.files ?? [])].map((file) => ({ file, path: file.name })), folder());
    picker.value = "";
  } });
  const into = h("span", { dir: "auto" }, text.files.drop);
  const back = button({ name: text.files.back, icon: "back", kind: "plain back", onclick: () => void stepBack("object") });
  const halves = h("div", { class: "halves" });
  const commit = button({ name: text.files.commit, icon: "commit", onclick: () =>
    askCommit(branchPath, text.files.commitsTo(text.files.changes(changes.totalObjectChanges), branch), load) });
  const objects = tree({ label: text.files.tree, root: id, chosen: (one, by) => void choose(one, by), menu: actions,
    moved: (one, on) => void editing.move(one, on),
    dropped: (transfer, on) => void droppedFiles(transfer).then(({ files, folders }) => send(files, on, folders)) });
  /** @type {any[]} */
  let nodes = [];
  /** @type {any} */
  let changes = {};
  /** @type {string | null} */
  let selected = null;
  let [turn, loads, isClosed] = [0, 0, false];
  let latest = Promise.resolve();

  /** @param {any[]} wanted */
  function show(wanted) {
    nodes = wanted;
    const [added, modified, below] = [new Set(changes.added), new Set(changes.modified), changedBelow(nodes, changes)];
    objects.show(sortedTree(nodes, id).map((node) => ({
      id: node.id, name: node.name, product: node.product, parent: node.parent, children: node.childrenCount, isFile: Boolean(node.file) || node.type === "Code",
      icon: icons[node.type] ?? (node.file ? "file" : "part"),
      mark: added.has(node.id) ? "added" : modified.has(node.id) ? "changed" : undefined,
      inside: below.all.get(node.id) ?? 0, deleted: below.deleted.get(node.id) ?? 0,
    })));
    tellFolder();
  }

  const load = () => (latest = read(++loads));

  /** @param {number} own @returns {Promise<void>} */
  async function read(own) {
    const [found, changed] = await Promise.all([get(`/projects/${place}/tree`), get(`${branchPath}/changes`)]);
    // The caller needs what this reading found; the newer one shows it.
    if (own !== loads) return latest;
    changes = changed;
    show(found.tree);
    commit.disabled = !changes.hasChanges;
    fill(state, changes.hasChanges ? text.files.changes(changes.totalObjectChanges) : text.files.clean);
  }

  /**
   * Shows an object. What a person opens is a step, so that the way back leads to what was shown; passing by is none.
   * @param {string | null} object @param {import("../../ui/tree.js").Means} [by]
   */
  async function choose(object, by) {
    const own = ++turn;
    const isOther = object !== selected;
    selected = object;
    tellFolder();
    // On a narrow page the object covers the tree.
    if (by !== "arrows" && (by || isOther)) halves.classList.toggle("is-opened", object !== null);
    if (by === "enter" || (by === "pointer" && narrow.matches)) view.focus();
    if (!object) {
      if (narrow.matches && view.contains(document.activeElement)) objects.element.focus();
      return fill(view, h("p", { class: "soft" }, text.files.choose));
    }
    const node = nodes.find((one) => one.id === object);
    if (isOther) fill(view, back, node ? outline(place, node, acts(object)) : loading());
    view.setAttribute("aria-busy", "true");
    if (by && by !== "arrows") remember("object", object, { push: true });
    // Keys that are held pass over objects: only the last is read.
    await pause(PASSING_MS);
    if (own !== turn) return;
    if (by === "arrows") remember("object", object);
    try {
      const content = await objectView(place, object, acts(object));
      await released();
      if (own === turn) fill(view, back, content);
    } catch (error) {
      if (own === turn) fill(view, back, h("p", { class: "failure" }, error instanceof Error ? error.message : ""));
    } finally {
      if (own === turn) view.removeAttribute("aria-busy");
    }
  }
  /** @param {string} object @returns {import("./object.js").Acts} */
  function acts(object) {
    return {
      rename: () => editing.askRename(object), move: () => editing.askMove(object), remove: () => editing.askDelete(object),
      edit: (known) => editing.askData(known, () => void choose(object)),
      replace: (file) => void replaceFile(target, file, object).then((batch) => finish(batch, object)),
    };
  }
  /** @param {string | null} object */
  function select(object) {
    objects.select(object);
    remember("object", object);
    void choose(object);
  }
  /** The object that new ones go into: the selected one, or the next above it that may hold others. */
  function folder() {
    const known = new Map(nodes.map((one) => [one.id, one]));
    let node = known.get(selected);
    while (node && !holds(node)) node = known.get(node.parent);
    return node?.id ?? id;
  }
  /** Tells where uploads and new folders go. */
  function tellFolder() {
    const on = folder();
    fill(into, on === id ? text.files.drop : text.files.goesInto(nodes.find((one) => one.id === on).name));
  }

  /** @param {import("../../ui/dropped.js").Dropped[]} files @param {string} on @param {string[]} [folders] */
  function send(files, on, folders) {
    const before = selected;
    void sendFiles(target, files, on, folders).then((batch) => finish(batch, before));
  }
  /**
   * Shows the last object that this page has uploaded, unless the person has turned to something else meanwhile.
   * @param {import("../../api/uploads.js").Upload[]} batch @param {string | null} before the selection at the beginning
   */
  async function finish(batch, before) {
    const last = batch.findLast(({ end }) => end === "done");
    if (isClosed || !last) return;
    await load();
    if (isClosed || selected !== before || document.querySelector("dialog[open]")) return;
    select((last.replaces ? last.parent : last.made) ?? null);
  }

  const editing = edits({ place, root: id, rootName: project.name, nodes: () => nodes, added: () => changes.added ?? [], show, loaded: load, select });
  const [status, interrupted] = [outcomes(place), interruptedUploads(place)];

  /** @param {string | null} one @param {number} x @param {number} y */
  function actions(one, x, y) {
    const on = folder();
    const entries = [
      { name: text.files.folder, run: () => editing.askCreate(on, true) },
      { name: text.files.object, run: () => editing.askCreate(one ?? id, false) },
      ...(one ? [{ name: text.files.rename, run: () => editing.askRename(one) },
        { name: text.files.move, run: () => editing.askMove(one) },
        { name: text.files.delete, danger: true, run: () => editing.askDelete(one) }] : []),
    ];
    menu(document.activeElement ?? document.body, { label: text.files.actions, entries, at: { x, y } });
  }

  halves.append(h("div", { class: "tree-place" }, objects.element,
    h("p", { class: "soft hint" }, icon("upload"), into)),
  separator({ label: text.files.width, name: "tree", target: halves, width: 340, least: 200, most: 800 }), view);
  const [places] = await Promise.all([projectPlaces(project, ""), load()]);
  select(search.get("object"));
  // Others' uploads, edits and commits appear by themselves; what is selected stays.
  const watched = watch(projectEvents(id), load, ({ type, data }) => {
    const { branch: where, changed } = data.data ?? {};
    if ((type !== "objects.changed" && type !== "commit.created") || (where && where !== branch)) return false;
    if (selected && changed?.includes(selected)) void choose(selected);
    return true;
  });
  const unfollow = followUploads({ changed: status.draw, ended: interrupted.draw });
  const forget = register(() => {
    const group = text.files.title;
    // Without a selection they are listed, and do nothing.
    const one = selected;
    const on = (/** @type {(object: string) => void} */ act) => (one === null ? undefined : () => act(one));
    return [
      { name: text.files.next, key: "j", group, run: () => objects.step(1) },
      { name: text.files.previous, key: "k", group, run: () => objects.step(-1) },
      { name: text.files.opens, key: "Enter", group },
      { name: text.files.folds, key: "← →", group },
      { name: text.files.folder, key: "n", group, icon: "folder", run: () => editing.askCreate(folder(), true) },
      { name: text.files.rename, key: "e", group, icon: "pencil", run: on(editing.askRename) },
      { name: text.files.rename, key: "F2", group, run: on(editing.askRename) },
      { name: text.files.move, key: "m", group, icon: "open", run: on(editing.askMove) },
      { name: text.files.delete, key: "Delete", group, icon: "bin", run: on(editing.askDelete) },
      { name: text.files.actions, key: "Shift+F10", group },
    ];
  });
  return {
    title: `${text.files.title} · ${project.name}`,
    ...places,
    go(now) {
      if ((now.get("branch") ?? project.defaultBranch) !== branch) return false;
      if (now.get("object") !== selected) select(now.get("object"));
    },
    close() {
      isClosed = true;
      turn += 1;
      for (const end of [watched.stop, unfollow, forget]) end();
    },
    content: h("div", { class: "files" },
      h("h1", { class: "unseen" }, project.name),
      h("div", { class: "tools" }, picker,
        button({ name: text.files.upload, icon: "upload", kind: "primary", onclick: () => picker.click() }),
        button({ name: text.files.folder, icon: "folder", onclick: () => editing.askCreate(folder(), true) }),
        commit, branchList({ branches, chosen: branch, onchange: (chosen) => openPath(addressOf(project, "", chosen)) }),
        button({ name: text.files.clone, icon: "copy", kind: "plain", onclick: () => askClone(project, branch) }), state),
      interrupted.element,
      halves,
      status.element),
  };
}
