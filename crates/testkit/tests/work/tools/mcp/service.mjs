// Uses the service without a session by the official client for TypeScript, and prints what it got.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, key] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
const client = new Client({ name: "test", version: "1.0.0" });
await client.connect(transport);
const { tools } = await client.listTools();
const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;
const { id: projectId } = await call("create_project", { name: "Gear" });
const { card } = await call("create_card", { projectId, name: "Grind" });
const { object } = await call("create_object", { projectId, name: "Tooth" });
const { resources } = await client.listResources();
const { resourceTemplates } = await client.listResourceTemplates();
const uri = `atelier://projects/${projectId}/objects/${object.id}`;
const { contents } = await client.readResource({ uri });
const { prompts } = await client.listPrompts();
const goal = { projectId, goal: "A quieter gear" };
const { messages } = await client.getPrompt({ name: "plan_work", arguments: goal });
console.log(JSON.stringify({
  tools: tools.map((tool) => tool.name),
  card: card.name,
  isListed: resources.some((one) => one.uri === `atelier://projects/${projectId}`),
  templates: resourceTemplates.length,
  read: JSON.parse(contents[0].text).object.name,
  prompts: prompts.map((prompt) => prompt.name),
  message: messages[0].content.text,
}));
await client.close();
