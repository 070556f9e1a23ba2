// The service as a journey's person uses it: signing in by a link, and requests of the API with their own token.

/** Signs in by a link, and waits until the tab has its token. */
export async function signIn(page, link) {
  await page.goto(link);
  await page.waitForFunction(() => sessionStorage.getItem("session"));
  await page.waitForSelector(".account .mark");
}

/** Requests of the API with the token of the person at the page; a refusal is thrown. */
export function callerOf(page) {
  return (method, path, body) => page.evaluate(async (method, path, body) => {
    const { token } = JSON.parse(sessionStorage.getItem("session"));
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answer = await fetch(`/api/v2${path}`, { method, headers, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.json();
  }, method, path, body);
}

/** A team with a board of columns, and a project whose cards it plans; `place` is the team's path. */
export async function boardOf(call, org, { team, project, columns }) {
  const { id } = await call("POST", "/projects", { name: project, orgId: org });
  const made = (await call("POST", `/orgs/${org}/teams`, { name: team })).team;
  const place = `/orgs/${org}/teams/${made.id}`;
  await call("PUT", `${place}/projects/${id}`, {});
  const statuses = [];
  for (const name of columns) statuses.push((await call("POST", `${place}/statuses`, { name })).status.id);
  return { project: id, place, statuses };
}

/** The tree's row with a name, once it is drawn. */
export function rowOf(page, name) {
  return page.waitForFunction((wanted) => [...document.querySelectorAll(".tree-row")].find((one) =>
    one.querySelector(".name").textContent === wanted), {}, name);
}

/** Clicks the tree's row with a name, which may be drawn again before the click. */
export async function clickRow(page, name) {
  for (let tries = 5; tries > 0; tries -= 1) {
    if (await (await rowOf(page, name)).asElement().click()
      .then(() => true, (error) => { if (tries === 1) throw error; })) return;
  }
}

/** Where an element is once no row that comes above it moves it any more. */
async function settledBox(page, element) {
  for (let box = await element.boundingBox(); ;) {
    await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 100)));
    const next = await element.boundingBox();
    if (next.y === box.y) return next;
    box = next;
  }
}

/** Drags paths of the disk onto an element, and drops them; returns the name of the folder that was lit. */
export async function dropOn(page, element, files) {
  const cdp = await page.createCDPSession();
  const data = { items: [], files, dragOperationsMask: 1 };
  await page.evaluate(() => {
    globalThis.drops = 0;
    document.addEventListener("drop", () => { globalThis.drops += 1; }, { capture: true, once: true });
  });
  let lit = "";
  // A busy browser takes a drop for a leave, if it hasn't heard yet that the page would have it.
  for (let tries = 5; tries > 0 && (await page.evaluate(() => globalThis.drops)) === 0; tries -= 1) {
    const box = await settledBox(page, element);
    const drag = (type) =>
      cdp.send("Input.dispatchDragEvent", { type, x: box.x + 60, y: box.y + box.height / 2, data });
    await drag("dragEnter");
    await drag("dragOver");
    await page.waitForFunction(() => document.querySelector(".lit"));
    lit = await page.$$eval(".tree-row.lit .name", (names) => names.map((one) => one.textContent).join()) || lit;
    await drag("dragOver");
    await drag("drop");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
  return lit;
}
