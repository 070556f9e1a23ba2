// Creates a project, opens a session, uploads a file and plans a card; prints the project's id.

import { CardsApi, Configuration, ProjectsApi, SessionsApi } from "./typescript-fetch-control/index";
import { FilesApi, Configuration as DataConfiguration } from "./typescript-fetch-data/index";

declare const process: { argv: string[]; exit(code: number): never };

async function job(url: string, key: string): Promise<string> {
  const configuration = new Configuration({ basePath: url, accessToken: key });
  const projects = new ProjectsApi(configuration);
  const { id: projectId } = await projects.createProject({ createProjectRequest: { name: "Gear" } });
  const { tree } = await projects.getTree({ projectId });
  const model = tree.find((node) => node.name === "Model");
  const session = await new SessionsApi(configuration).createSession({ projectId, createSessionRequest: {} });

  const { dataPlane } = session;
  const data = new DataConfiguration({ basePath: dataPlane.url, accessToken: dataPlane.token });
  const uploaded = await new FilesApi(data).uploadFile({
    ownerId: session.ownerId,
    userId: "me",
    projectId: `${projectId}--${session.branch}`,
    connectionId: dataPlane.connectionId,
    parentId: model!.id,
    file: new File(["Thirty-two teeth."], "teeth.txt"),
  });
  if (Object.keys(uploaded.object).length !== 1) throw new Error(JSON.stringify(uploaded));

  const createCardRequest = { name: "Grind the teeth", effort: 3 };
  const { card } = await new CardsApi(configuration).createCard({
    projectId,
    createCardRequest,
    idempotencyKey: "first card",
  });
  if (card.name !== "Grind the teeth") throw new Error(JSON.stringify(card));
  return projectId;
}

const [url, key] = process.argv.slice(2);
job(url, key).then(
  (project) => console.log(project),
  (failure) => {
    console.error(failure);
    process.exit(1);
  },
);
