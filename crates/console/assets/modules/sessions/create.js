// The form that opens a session.

import { all, get, newKey, post } from "../../api/client.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { ask, field } from "../../ui/dialog.js";
import { h } from "../../ui/dom.js";

const EFFECTS = ["read", "write", "destroy", "sendOut"];

/** Asks for a session on a project, and goes to it. @param {any} project */
export async function askSession(project) {
  const root = `/projects/${project.id}`;
  const [{ models }, branches, organizations, servers] = await Promise.all([get("/models"),
    all(`${root}/branches`, "branches"), all("/orgs", "organizations"), all(`${root}/mcp-servers`, "mcpServers").catch(() => [])]);
  const own = ["project", "cards", "files", "code"];
  if (organizations.some(({ id }) => id === project.ownerId)) own.splice(2, 0, "teams");
  const boxes = [...own, ...servers.map(({ name }) => name)];
  const key = newKey();
  ask({
    title: text.sessions.create,
    action: text.sessions.opens,
    fields: [
      models.length === 0 ? h("p", { class: "notice" }, `${text.sessions.noModel} ${text.sessions.noModelHelp}`)
        : field({ label: text.sessions.prompt, name: "prompt", rows: 3, help: text.sessions.promptHelp }),
      h("div", { class: "form-row" },
        choice(text.sessions.branch, "branch", branches.map(({ name }) => [name, name]), project.defaultBranch),
        models.length === 0 ? null : choice(text.sessions.model, "model",
          models.map((/** @type {any} */ model) => [model.id, text.sessions.modelOf(model.id, model.provider)]))),
      checks(text.sessions.approve, text.sessions.approveHelp, "effect",
        EFFECTS.map((effect) => [effect, text.sessions.effects[effect]]), ["read", "write"]),
      checks(text.sessions.toolboxes, text.sessions.toolboxesHelp, "toolbox",
        boxes.map((box) => [box, text.sessions.toolboxNames[box] ?? box]), boxes),
      models.length === 0 ? h("div", {})
        : field({ label: text.sessions.budget, name: "budget", help: text.sessions.budgetHelp }),
    ],
    async send(form) {
      const prompt = String(form.get("prompt") ?? "").trim();
      const budget = String(form.get("budget") ?? "").trim();
      const toolboxes = form.getAll("toolbox");
      const branch = String(form.get("branch"));
      const at = branch === project.defaultBranch ? root : `${root}--${encodeURIComponent(branch)}`;
      const made = await post(`${at}/sessions`, {
        prompt: prompt || undefined, model: form.get("model") ?? undefined, autoApprove: form.getAll("effect"),
        toolboxes: toolboxes.length === boxes.length ? undefined : toolboxes,
        budget: budget ? { credits: budget } : undefined,
      }, { key });
      open(`${root}/sessions/${made.sessionId}`);
    },
  });
}

/** @param {string} label @param {string} name @param {[string, string][]} options @param {string} [chosen] */
function choice(label, name, options, chosen) {
  return h("div", { class: "field" }, h("label", { for: `field-${name}` }, label),
    h("select", { id: `field-${name}`, name }, options.map(([value, said]) =>
      h("option", { value, selected: value === chosen }, said))));
}

/**
 * Boxes to tick.
 * @param {string} label @param {string} help @param {string} name @param {[string, string][]} options
 * @param {string[]} ticked
 */
function checks(label, help, name, options, ticked) {
  return h("fieldset", { class: "checks", "aria-describedby": `${name}-help` }, h("legend", {}, label),
    options.map(([value, said]) => h("label", { class: "check" },
      h("input", { type: "checkbox", name, value, checked: ticked.includes(value) }), h("span", { dir: "auto" }, said))),
    h("p", { class: "help", id: `${name}-help` }, help));
}
