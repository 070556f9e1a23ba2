// A card as a page of its own, for links and for cards on no board.

import { get } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { text } from "../../text.js";
import { h } from "../../ui/dom.js";
import { projectPlaces } from "../../ui/places.js";
import { cardPanel } from "./panel.js";

/** @type {import("../../router.js").Opener} */
export async function openCard({ project: id, card }) {
  const { project } = await get(`/projects/${id}`);
  const panel = await cardPanel(id, card, { changed() {},
    boards: (team) => `/orgs/${project.ownerId}/teams/${team}` });
  const watched = watch(projectEvents(id), panel.refresh, ({ type, data }) => type !== "card.deleted" && (data.data?.cardId ?? data.cardId) === card);
  return {
    title: `${panel.name} · ${project.name}`,
    ...(await projectPlaces(project, "/cards", { name: panel.name })),
    content: h("div", { class: "page card-page" }, h("h1", { class: "unseen" }, text.card.title), panel.element),
    close: watched.stop,
  };
}
