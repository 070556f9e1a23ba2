// A project's files: its tree, the selected object, uploads and commits.

import { all, get, newKey, post } from "../../api/client.js";
import { upload } from "../../api/files.js";
import { remember } from "../../router.js";
import { text } from "../../text.js";
import { ask, field } from "../../ui/dialog.js";
import { button, fill, h, icon } from "../../ui/dom.js";
import { projectPlaces } from "../../ui/places.js";
import { toast } from "../../ui/toast.js";
import { tree } from "../../ui/tree.js";
import { objectView } from "./object.js";

/** @type {Record<string, string>} */
const icons = { Package: "folder", Code: "code", Document: "page", Page: "page", assembly: "part", geometry: "part", File: "file" };

/** @type {import("../../router.js").Opener} */
export async function openFiles({ project: id }, search) {
  const { project } = await get(`/projects/${id}`);
  const branch = encodeURIComponent(project.defaultBranch);
  const view = h("section", { class: "object", "aria-live": "polite" }, h("p", { class: "soft" }, text.files.choose));
  const state = h("p", { class: "soft changes" });
  const status = h("div", { class: "status", role: "status", hidden: true });
  const picker = h("input", { type: "file", multiple: true, hidden: true, "aria-label": text.files.upload,
    onchange: () => void send([...(picker.files ?? [])], id).then(() => { picker.value = ""; }) });
  const commit = button({ name: text.files.commit, icon: "commit", onclick: askCommit });
  const objects = tree({ label: text.files.tree, root: id, chosen: choose,
    dropped: (files, on) => void send(files, on) });
  let turn = 0;

  async function load() {
    const [{ tree: nodes }, changes] =
      await Promise.all([get(`/projects/${id}/tree`), get(`/projects/${id}/branches/${branch}/changes`)]);
    const [added, modified] = [new Set(changes.added), new Set(changes.modified)];
    objects.show(nodes.map((/** @type {any} */ node) => ({
      id: node.id, name: node.name, parent: node.parent, children: node.childrenCount,
      icon: icons[node.type] ?? (node.file ? "file" : "part"),
      mark: added.has(node.id) ? text.files.added : modified.has(node.id) ? text.files.modified : undefined,
    })));
    commit.disabled = !changes.hasChanges;
    fill(state, changes.hasChanges ? text.files.changes(changes.totalObjectChanges) : text.files.clean);
  }

  /** @param {string} object */
  async function choose(object) {
    const own = ++turn;
    remember("object", object);
    try {
      const content = await objectView(id, object);
      if (own === turn) fill(view, content);
    } catch (error) {
      if (own === turn) fill(view, h("p", { class: "failure" }, error instanceof Error ? error.message : ""));
    }
  }

  /** @param {File[]} files @param {string} parent */
  async function send(files, parent) {
    let [done, last] = [0, ""];
    status.hidden = false;
    for (const file of files) {
      try {
        const made = await upload(id, parent, file, (sent) => {
          const percent = file.size ? Math.floor((sent / file.size) * 100) : 100;
          fill(status, h("progress", { max: 100, value: percent, "aria-label": file.name }),
            h("span", { dir: "auto" }, text.files.sending(file.name, percent)));
        });
        done += 1;
        last = /** @type {any} */ (made[0])?.id ?? last;
      } catch (error) {
        toast(text.files.failed(file.name, error instanceof Error ? error.message : String(error)), { bad: true });
      }
    }
    status.hidden = true;
    await load();
    if (done > 0) toast(text.files.sent(done));
    if (last) {
      objects.select(last);
      await choose(last);
    }
  }

  function askCommit() {
    const key = newKey();
    ask({
      title: text.files.commits,
      action: text.files.commit,
      fields: [field({ label: text.files.message, name: "message", required: true, rows: 3 })],
      async send(form) {
        const made = await post(`/projects/${id}/branches/${branch}/commits`, { message: form.get("message") }, { key });
        toast(text.files.committed(made.commit.hash));
        await load();
      },
    });
  }

  await load();
  const first = search.get("object");
  if (first) {
    objects.select(first);
    void choose(first);
  }
  return {
    title: project.name,
    crumbs: [{ name: text.projects.title, href: "/projects" }, { name: project.name }],
    navigation: await projectPlaces(project, ""),
    content: h("div", { class: "files" },
      h("h1", { class: "unseen" }, project.name),
      h("div", { class: "tools" }, picker,
        button({ name: text.files.upload, icon: "upload", kind: "primary", onclick: () => picker.click() }),
        commit, state),
      h("div", { class: "halves" }, h("div", { class: "tree-place" }, objects.element,
        h("p", { class: "soft hint" }, icon("upload"), text.files.drop)), view),
      status),
  };
}
