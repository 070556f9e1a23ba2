// The page for signing in.

import { local } from "../../api/openid.js";
import { get } from "../../api/client.js";
import { isSignedIn, signInAtIssuer, useToken } from "../../api/session.js";
import { settings } from "../../settings.js";
import { text } from "../../text.js";
import { button, fill, h, icon } from "../../ui/dom.js";
import { field } from "../../ui/dialog.js";

/** @type {import("../../router.js").Opener} */
export async function openSignIn(_, search) {
  const to = local(search.get("to"));
  const failure = h("p", { class: "failure", role: "alert" }, search.get("notice"));
  /** @param {unknown} error */
  const fail = (error) => fill(failure, error instanceof Error ? error.message : String(error));
  return {
    title: text.signIn.title,
    content: h("section", { class: "sign-in" }, icon("part"), h("h1", {}, text.signIn.title),
      search.has("ended") ? h("p", { class: "warned", role: "status" }, text.signIn.ended) : h("p", { class: "lead" }, text.signIn.lead),
      failure, way(to, fail)),
  };
}

/** @param {string} to @param {(error: unknown) => void} fail */
function way(to, fail) {
  if (settings.signIn.kind === "issuer") {
    const go = () => void signInAtIssuer(to).catch(fail);
    return h("div", {}, button({ name: text.signIn.withIssuer, kind: "primary wide", onclick: go }));
  }
  if (settings.signIn.kind === "issuerAway") {
    const again = () => location.reload();
    return h("div", {}, h("p", {}, text.signIn.issuerAway), button({ name: text.errors.again, kind: "primary wide", onclick: again }));
  }
  if (settings.signIn.kind === "unavailable") return h("p", {}, text.signIn.unavailable);
  const form = h("form", { class: "form" }, h("p", {}, text.signIn.development),
    field({ label: text.signIn.token, name: "token", type: "password", required: true }),
    button({ name: text.signIn.withToken, kind: "primary wide", type: "submit" }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    useToken(String(new FormData(form).get("token")));
    try {
      await get("/me");
      // The page begins again: the tab may have shown another person.
      location.replace(to);
    } catch (error) {
      fail(isSignedIn() ? error : text.signIn.refused);
    }
  });
  return form;
}
