// Writes the types of requests, answers and events from the OpenAPI documents. They are not in Git; the documents are.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import openapi, { astToString } from "openapi-typescript";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const generated = join(root, "src/api/generated");
const DOCUMENTS = { control: join(root, "documents/control.json"), dataplane: join(root, "../site/documents/dataplane.json") };

mkdirSync(generated, { recursive: true });
for (const [plane, document] of Object.entries(DOCUMENTS)) {
  const target = join(generated, `${plane}.ts`);
  if (existsSync(target) && statSync(target).mtimeMs > statSync(document).mtimeMs) continue;
  const types = await openapi(JSON.parse(readFileSync(document, "utf8")), { alphabetize: true, defaultNonNullable: false });
  writeFileSync(target, `// Written by build/types.mjs. Edits are lost.\n\n${astToString(types)}`);
}
