// Creates a project, opens a session, uploads a file and plans a card; prints the project's id.

import createClient from "openapi-fetch";
import type { paths as Control } from "./control.js";
import type { paths as Data } from "./data.js";

function present<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const [url, key] = process.argv.slice(2);
const control = createClient<Control>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });

const project = present(await control.POST("/api/v2/projects", { body: { name: "Gear" } }));
const path = { projectId: project.id };
const session = present(
  await control.POST("/api/v2/projects/{projectId}/sessions", { params: { path }, body: {} }),
);
const tree = present(await control.GET("/api/v2/projects/{projectId}/tree", { params: { path } }));
const model = tree.tree.find((node) => node.name === "Model");
const { project: record } = present(await control.GET("/api/v2/projects/{projectId}", { params: { path } }));

const { dataPlane } = session;
const data = createClient<Data>({
  baseUrl: dataPlane.url,
  headers: { Authorization: `Bearer ${dataPlane.token}` },
});
const uploaded = present(
  await data.POST("/api/v1/file/upload/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}", {
    params: {
      path: {
        ownerId: record.ownerId,
        userId: "me",
        projectId: `${project.id}--${session.branch}`,
        connectionId: dataPlane.connectionId,
        parentId: model!.id,
      },
    },
    body: { file: "Thirty-two teeth." },
    bodySerializer: (body) => {
      const form = new FormData();
      form.append("file", new Blob([body.file]), "teeth.txt");
      return form;
    },
  }),
);
if (Object.keys(uploaded.object).length !== 1) throw new Error(JSON.stringify(uploaded));

const card = present(
  await control.POST("/api/v2/projects/{projectId}/cards", {
    params: { path, header: { "Idempotency-Key": "first card" } },
    body: { name: "Grind the teeth", effort: 3 },
  }),
);
const changed = present(
  await control.PATCH("/api/v2/projects/{projectId}/cards/{cardId}", {
    params: { path: { ...path, cardId: card.card.id }, header: { "If-Match": `"${card.historyHeadId}"` } },
    body: { description: "All of them." },
  }),
);
if (changed.card.description !== "All of them.") throw new Error(JSON.stringify(changed));
console.log(project.id);
