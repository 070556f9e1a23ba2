// Packages: what a project publishes for others, and what it includes of them.

import { all, get, newKey, post, put, patch, remove } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { text } from "../../text.js";
import { ask, field } from "../../ui/dialog.js";
import { button, fill, h, icon, moment } from "../../ui/dom.js";
import { released } from "../../ui/pointer.js";
import { openProject, projectView } from "../../ui/project.js";
import { toast } from "../../ui/toast.js";

/** @type {import("../../router.js").Opener} */
export async function openPackages({ project: id }, search) {
  const { project } = await openProject(id, search);
  const published = h("ul", { class: "rows aligned" });
  const included = h("ul", { class: "rows aligned" });
  const [nothing, none] = [h("p", { class: "soft" }, text.packages.nonePublished), h("p", { class: "soft" }, text.packages.noneIncluded)];

  async function load() {
    const [packages, objects] = await Promise.all([all(`/projects/${id}/packages`, "packages"),
      all(`/projects/${id}/objects?type=Include`, "objects")]);
    const includes = await Promise.all(objects.map((one) =>
      get(`/projects/${id}/includes/${one.id}`).then(({ include }) => include, () => null)));
    const inclusions = await Promise.all(includes.filter(Boolean).map(inclusion));
    await released();
    fill(published, packages.map(publication));
    fill(included, inclusions);
    nothing.hidden = packages.length > 0;
    none.hidden = included.childElementCount > 0;
  }

  /** @param {any} one */
  function publication(one) {
    return h("li", { class: "row package-row" }, icon("package"),
      h("span", {}, h("a", { class: "name", dir: "auto", href: `/projects/${id}?object=${one.id}` }, one.name),
        one.description ? h("span", { class: "soft", dir: "auto" }, ` ${one.description}`) : null),
      h("span", { class: "soft" }, text.packages.objects(one.objectCount), ", ", moment(one.updatedAt)),
      h("span", { class: "row-actions" },
        button({ name: text.packages.copy, icon: "copy", kind: "plain", quiet: true,
          onclick: () => void navigator.clipboard.writeText(one.ref).then(() => toast(text.files.copied)) }),
        button({ name: text.packages.newState, kind: "plain", onclick: () => void publish(one.id, one.description) }),
        button({ name: text.packages.withdraw, kind: "plain", onclick: () => askWithdraw(one) })));
  }

  /** @param {any} one */
  async function inclusion(one) {
    const pin = one.include;
    const newest = await get(`/projects/${pin.projectId}/packages/${pin.packageId}`).then((found) => found.package, () => null);
    const isOld = newest && newest.commitHash !== pin.commitHash;
    return h("li", { class: "row package-row" }, icon("package"),
      h("a", { class: "name", dir: "auto", href: `/projects/${id}?object=${one.id}` }, one.name),
      h("span", { class: "soft" }, text.packages.pinned(pin.commitHash),
        one.available ? null : h("span", { class: "badge changed" }, text.packages.away),
        newest && !isOld ? h("span", { class: "badge" }, text.packages.newest) : null),
      h("span", { class: "row-actions" }, isOld
        ? button({ name: text.packages.update, onclick: () => void update(one.id, newest.commitHash) }) : null));
  }

  /** @param {string} object @param {string} description */
  async function publish(object, description) {
    try {
      await put(`/projects/${id}/packages/${object}`, { description });
      await load();
      toast(text.packages.updated);
    } catch (error) {
      toast(error instanceof Error ? error.message : "", { bad: true });
    }
  }

  /** @param {string} include @param {string} commitHash */
  async function update(include, commitHash) {
    try {
      await patch(`/projects/${id}/includes/${include}`, { commitHash });
      await load();
      toast(text.packages.updated);
    } catch (error) {
      toast(error instanceof Error ? error.message : "", { bad: true });
    }
  }

  async function askPublish() {
    const objects = await all(`/projects/${id}/objects?type=Package`, "objects");
    ask({
      title: text.packages.publish,
      action: text.packages.publishes,
      fields: [h("div", { class: "field" }, h("label", { for: "field-object" }, text.packages.object),
        h("select", { id: "field-object", name: "object" }, objects.map((one) => h("option", { value: one.id }, one.name)))),
      field({ label: text.packages.description, name: "description" })],
      async send(form) {
        await put(`/projects/${id}/packages/${form.get("object")}`, { description: form.get("description") });
        await load();
      },
    });
  }

  /** @param {any} one */
  function askWithdraw(one) {
    ask({
      title: text.packages.withdraws(one.name),
      action: text.packages.withdraw,
      fields: [h("p", {}, text.packages.withdrawHelp)],
      async send() {
        await remove(`/projects/${id}/packages/${one.id}`);
        toast(text.packages.withdrawn);
        await load();
      },
    });
  }

  function askInclude() {
    const key = newKey();
    ask({
      title: text.packages.include,
      action: text.packages.includes,
      fields: [field({ label: text.packages.reference, name: "ref", help: text.packages.referenceHelp, required: true })],
      async send(form) {
        await post(`/projects/${id}/includes`, { ref: String(form.get("ref")).trim(), parent: id }, { key });
        await load();
      },
    });
  }

  await load();
  const watched = watch(projectEvents(id), load, ({ type }) => type.startsWith("package.") || type === "objects.changed");
  return projectView(project, "/packages", text.packages.title, h("div", { class: "page" },
    h("h1", {}, text.packages.title),
    h("section", {}, h("div", { class: "heading" }, h("h2", {}, text.packages.published),
      button({ name: text.packages.publish, icon: "plus", onclick: () => void askPublish() })), published, nothing),
    h("section", {}, h("div", { class: "heading" }, h("h2", {}, text.packages.included),
      button({ name: text.packages.include, icon: "plus", onclick: askInclude })), included, none)), { close: watched.stop });
}
