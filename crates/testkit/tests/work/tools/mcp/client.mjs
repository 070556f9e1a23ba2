// Uses a session's tools by the official client for TypeScript, and prints what it got.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, key] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
const client = new Client({ name: "test", version: "1.0.0" });
await client.connect(transport);
await client.ping();
const { tools } = await client.listTools();
const call = (name, args) => client.callTool({ name, arguments: args });
const created = await call("project__create_object", { name: "Tooth" });
const found = await call("project__get_tree", { q: "tooth" });
const refused = await call("project__get_object", {});
const unknown = await call("project__none", {}).catch((error) => error);
console.log(JSON.stringify({
  server: client.getServerVersion().name,
  version: transport.protocolVersion,
  tools: tools.map((tool) => tool.name),
  created: created.structuredContent.object.name,
  found: found.structuredContent.tree.map((object) => object.name),
  refused: [refused.isError, refused.content[0].text],
  unknown: unknown.code,
}));
await client.close();
