// All boards of the caller.

import { all } from "../../api/client.js";
import { text } from "../../text.js";
import { boardRows, mayMake, newBoard, teamsOf } from "../../ui/boards.js";
import { h, icon } from "../../ui/dom.js";

/** @type {import("../../router.js").Opener} */
export async function openBoards() {
  const organizations = await all("/orgs", "organizations");
  const teams = await teamsOf(organizations);
  return {
    title: text.frame.boards,
    crumbs: [{ name: text.frame.boards }],
    content: h("div", { class: "page" },
      h("div", { class: "heading" }, h("h1", {}, text.frame.boards), teams.length > 0 ? newBoard(organizations, "primary") : null),
      teams.length > 0 ? boardRows(teams) : h("div", { class: "empty" }, icon("board"), h("p", {}, text.board.emptyList),
        organizations.some(mayMake) ? null : h("p", {}, text.board.ownOrganization), newBoard(organizations, "primary"))),
  };
}
