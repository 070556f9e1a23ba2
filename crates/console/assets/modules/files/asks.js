// What a person asks of all files of a branch: a commit, and the address for Git.

import { newKey, post } from "../../api/client.js";
import { text } from "../../text.js";
import { ask, field } from "../../ui/dialog.js";
import { h } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";

/** @param {string} branchPath @param {string} said what is committed @param {() => Promise<unknown>} done */
export function askCommit(branchPath, said, done) {
  const key = newKey();
  ask({
    title: text.files.commits,
    action: text.files.commit,
    fields: [h("p", { class: "help", dir: "auto" }, said), field({ label: text.files.message, name: "message", required: true, rows: 3 })],
    async send(form) {
      const made = await post(`${branchPath}/commits`, { message: form.get("message") }, { key });
      toast(text.files.committed(made.commit.hash));
      await done();
    },
  });
}

/** @param {any} project @param {string} branch */
export function askClone(project, branch) {
  const name = branch === project.defaultBranch ? project.projectSlug : `${project.projectSlug}--${encodeURIComponent(branch)}`;
  const address = `${location.origin}/git/${project.ownerSlug}/${name}.git`;
  ask({ title: text.files.clone, action: text.files.cloneAddress,
    fields: [h("p", { class: "help" }, text.files.cloneHelp), h("pre", { class: "code clone", tabindex: "0" }, `git clone ${address}`)],
    async send() {
      await navigator.clipboard.writeText(address);
      toast(text.files.copied);
    } });
}
