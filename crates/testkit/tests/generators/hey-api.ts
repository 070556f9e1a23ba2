// Creates a project, opens a session, uploads a file and plans a card; prints the project's id.

import { createClient } from "./control/client/index.js";
import { createCard, createProject, createSession, getProject, getTree } from "./control/index.js";
import { createClient as createDataClient } from "./data/client/index.js";
import { uploadFile } from "./data/index.js";

const [url, key] = process.argv.slice(2);
const client = createClient({ baseUrl: url, auth: key, throwOnError: true });

const { data: project } = await createProject({ client, body: { name: "Gear" }, throwOnError: true });
const path = { projectId: project.id };
const { data: session } = await createSession({ client, path, body: {}, throwOnError: true });
const { data: tree } = await getTree({ client, path, throwOnError: true });
const { data: record } = await getProject({ client, path, throwOnError: true });
const model = tree.tree.find((node) => node.name === "Model");

const { dataPlane } = session;
const data = createDataClient({ baseUrl: dataPlane.url, auth: dataPlane.token });
await uploadFile({
  client: data,
  path: {
    ownerId: record.project.ownerId,
    userId: "me",
    projectId: `${project.id}--${session.branch}`,
    connectionId: dataPlane.connectionId,
    parentId: model!.id,
  },
  body: { file: new File(["Thirty-two teeth."], "teeth.txt") },
  throwOnError: true,
});

const { data: card } = await createCard({
  client,
  path,
  headers: { "Idempotency-Key": "first card" },
  body: { name: "Grind the teeth", effort: 3 },
  throwOnError: true,
});
if (card.card.name !== "Grind the teeth") throw new Error(JSON.stringify(card));
console.log(project.id);
