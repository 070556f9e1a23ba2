// Cards that go: off their board, back to the backlog, or for good.

import { put, remove } from "../../api/client.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { toast } from "../../ui/toast.js";

/** @param {unknown} error */
const fail = (error) => toast(error instanceof Error ? error.message : String(error), { bad: true });

/**
 * Takes a card off the board of the team at `path`, and offers to put it back to its place and its sprint.
 * @param {string} path @param {{ id: string, name: string }} card @param {() => unknown} changed
 */
export async function takeOff(path, { id, name }, changed) {
  try {
    await remove(`${path}/cards/${id}`);
  } catch (error) {
    return fail(error);
  }
  await changed();
  toast(text.card.isOff(name), { act: { name: text.card.putBack, run: () =>
    void put(`${path}/cards/${id}`, {}).then(changed, fail) } });
}

/** Asks before a card is deleted. @param {string} project @param {{ id: string, name: string }} card @param {() => unknown} done */
export function askDelete(project, { id, name }, done) {
  confirm({
    title: text.card.deletesCard(name), says: text.card.deleteSays, action: text.card.deleteCard,
    async send() {
      await remove(`/projects/${project}/cards/${id}`);
      await done();
      toast(text.card.isDeleted(name));
    },
  });
}
