// Uploads under way, on every page: how far they are, and the way to the files that they come to.

import { followUploads, openUploads, partOf, uploadsTo } from "../../api/uploads.js";
import { text } from "../../text.js";
import { fill, h, icon } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";

/** A link with the progress of what is under way. Outcomes are told as messages. */
export function uploading() {
  const bar = h("progress", { max: 1, value: 0, "aria-hidden": "true" });
  const count = h("span", {});
  const link = h("a", { class: "uploading", hidden: true }, icon("upload"), bar, count);

  function changed() {
    const open = openUploads();
    link.hidden = open.length === 0;
    if (link.hidden) return;
    const [ended, part] = [open.filter(({ end }) => end).length, open.reduce((sum, one) => sum + partOf(one), 0) / open.length];
    bar.value = part;
    link.href = /** @type {import("../../api/uploads.js").Upload} */ (open.find(({ end }) => !end)).target.href;
    link.title = text.files.progress(ended, open.length);
    fill(count, `${ended} / ${open.length}`);
    link.setAttribute("aria-label", `${ended} / ${open.length}: ${text.files.toUploads(Math.floor(part * 100))}`);
  }

  followUploads({ changed, ended(batch) {
    for (const one of batch.filter(({ end }) => end === "failed")) toast(text.files.failed(one.path, one.state), { bad: true });
    // The page that they come to tells of them in its own list.
    const target = batch[0]?.target;
    if (!target || (new URL(target.href, location.href).pathname === location.pathname && uploadsTo(target.place).length > 0)) return;
    const done = batch.filter(({ end }) => end === "done");
    const files = done.filter(({ file }) => file).length;
    if (files > 0) toast(done[0].replaces ? text.files.replaced : text.files.sent(files));
    else if (done.length > 0) toast(text.files.foldersMade(done.length));
  } });
  return link;
}
