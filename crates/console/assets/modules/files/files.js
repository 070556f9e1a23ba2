// A project's files: its tree, the selected object, uploads and commits.

import { get, newKey, pause, post } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { open as openPath, remember } from "../../router.js";
import { text } from "../../text.js";
import { addressOf, branchList, placeOf } from "../../ui/branch.js";
import { ask, field } from "../../ui/dialog.js";
import { button, fill, h, icon } from "../../ui/dom.js";
import { droppedFiles } from "../../ui/dropped.js";
import { menu } from "../../ui/menu.js";
import { projectPlaces } from "../../ui/places.js";
import { separator } from "../../ui/separator.js";
import { openProject } from "../../ui/project.js";
import { toast } from "../../ui/toast.js";
import { tree } from "../../ui/tree.js";
import { edits } from "./edits.js";
import { objectView } from "./object.js";
import { uploads } from "./uploads.js";

/** @type {Record<string, string>} */
const icons = { Package: "package", Include: "package", Folder: "folder", Code: "code", Document: "page", Page: "page",
  Assembly: "part", Part: "part", File: "file" };
const PASSING_MS = 30;

/** @type {import("../../router.js").Opener} */
export async function openFiles({ project: id }, search) {
  const { project, branch, branches } = await openProject(id, search);
  const place = placeOf(project, branch);
  const branchPath = `/projects/${id}/branches/${encodeURIComponent(branch)}`;
  const view = h("section", { class: "object", "aria-live": "polite" });
  const state = h("a", { class: "changes", href: addressOf(project, "/changes", branch) });
  const picker = h("input", { type: "file", multiple: true, hidden: true, "aria-label": text.files.upload, onchange: () =>
    void sending.send([...(picker.files ?? [])].map((file) => ({ file, path: file.name })), folder()).then(() => { picker.value = ""; }) });
  const commit = button({ name: text.files.commit, icon: "commit", onclick: askCommit });
  const objects = tree({ label: text.files.tree, root: id, chosen: choose, pressed, menu: actions, moved: (one, on) => void editing.move(one, on),
    dropped: (transfer, on) => void droppedFiles(transfer).then(({ files, folders }) => sending.send(files, on, folders)) });
  /** @type {any[]} */
  let nodes = [];
  /** @type {any} */
  let changes = {};
  /** @type {string | null} */
  let selected = null;
  let [turn, loads] = [0, 0];
  let latest = Promise.resolve();

  /** @param {any[]} wanted */
  function show(wanted) {
    nodes = wanted;
    const [added, modified] = [new Set(changes.added), new Set(changes.modified)];
    objects.show(nodes.map((node) => ({
      id: node.id, name: node.name, parent: node.parent, children: node.childrenCount, isFile: Boolean(node.file) || node.type === "Code",
      icon: icons[node.type] ?? (node.file ? "file" : "part"),
      mark: added.has(node.id) ? text.files.added : modified.has(node.id) ? text.files.modified : undefined,
    })));
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

  /** @param {string | null} object */
  async function choose(object) {
    const own = ++turn;
    selected = object;
    if (!object) remember("object", null);
    if (!object) return fill(view, h("p", { class: "soft" }, text.files.choose));
    // Keys that are held pass over objects: only the last is read.
    await pause(PASSING_MS);
    if (own !== turn) return;
    remember("object", object);
    try {
      const content = await objectView(place, object, {
        rename: () => editing.askRename(object), move: () => editing.askMove(object), remove: () => editing.askDelete(object),
        edit: (known) => editing.askData(known, () => void choose(object)), replace: (file) => void sending.replace(file, object),
      });
      if (own === turn) fill(view, content);
    } catch (error) {
      if (own === turn) fill(view, h("p", { class: "failure" }, error instanceof Error ? error.message : ""));
    }
  }
  /** @param {string | null} object */
  function select(object) {
    objects.select(object);
    void choose(object);
  }
  /** The folder that the selection is or is in. */
  function folder() {
    const node = nodes.find((one) => one.id === selected);
    return node?.type === "Folder" ? node.id : node && nodes.find((one) => one.id === node.parent)?.type === "Folder" ? node.parent : id;
  }

  const editing = edits({ place, root: id, rootName: project.name, nodes: () => nodes, show, loaded: load, select });
  const sending = uploads({ place, nodes: () => nodes, loaded: load, done: (object) => { if (object) select(object); } });

  /** @param {string} key @param {string | null} one */
  function pressed(key, one) {
    if (key === "n") editing.askCreate(folder(), true);
    else if (one && (key === "e" || key === "F2")) editing.askRename(one);
    else if (one && key === "m") editing.askMove(one);
    else if (one && key === "Delete") editing.askDelete(one);
    else return false;
    return true;
  }
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

  function askCommit() {
    const key = newKey();
    ask({
      title: text.files.commits,
      action: text.files.commit,
      fields: [field({ label: text.files.message, name: "message", required: true, rows: 3 })],
      async send(form) {
        const made = await post(`${branchPath}/commits`, { message: form.get("message") }, { key });
        toast(text.files.committed(made.commit.hash));
        await load();
      },
    });
  }
  function askClone() {
    const name = branch === project.defaultBranch ? project.projectSlug : `${project.projectSlug}--${encodeURIComponent(branch)}`;
    const address = `${location.origin}/git/${project.ownerSlug}/${name}.git`;
    ask({ title: text.files.clone, action: text.files.cloneAddress,
      fields: [h("p", { class: "help" }, text.files.cloneHelp), h("pre", { class: "code clone", tabindex: "0" }, `git clone ${address}`)],
      async send() {
        await navigator.clipboard.writeText(address);
        toast(text.files.copied);
      } });
  }

  const halves = h("div", { class: "halves" });
  halves.append(h("div", { class: "tree-place" }, objects.element,
    h("p", { class: "soft hint", title: text.files.keys }, icon("upload"), text.files.drop)),
  separator({ label: text.files.width, name: "tree", target: halves, width: 340, least: 200, most: 800 }), view);
  await load();
  select(search.get("object"));
  // Others' uploads, edits and commits appear by themselves; what is selected stays.
  const watched = watch(projectEvents(id), load, ({ type, data }) => {
    const { branch: where, changed } = data.data ?? {};
    if ((type !== "objects.changed" && type !== "commit.created") || (where && where !== branch)) return false;
    if (selected && changed?.includes(selected)) void choose(selected);
    return true;
  });
  return {
    title: project.name,
    crumbs: [{ name: text.projects.title, href: "/projects" }, { name: project.name }],
    navigation: await projectPlaces(project, ""),
    close: watched.stop,
    content: h("div", { class: "files" },
      h("h1", { class: "unseen" }, project.name),
      h("div", { class: "tools" }, picker,
        button({ name: text.files.upload, icon: "upload", kind: "primary", onclick: () => picker.click() }),
        button({ name: text.files.folder, icon: "folder", onclick: () => editing.askCreate(folder(), true) }),
        commit, branchList({ branches, chosen: branch, onchange: (chosen) => openPath(addressOf(project, "", chosen)) }),
        button({ name: text.files.clone, icon: "copy", kind: "plain", onclick: askClone }), state),
      sending.interrupted,
      halves,
      sending.element),
  };
}
