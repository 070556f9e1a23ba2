// Uploads a file with Uppy, in the DOM of a page of the same origin.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { JSDOM } from "jsdom";

const [endpoint, token, file] = process.argv.slice(2);
const { window } = new JSDOM("", { url: endpoint });
for (const name of ["document", "XMLHttpRequest", "Blob", "File", "FileReader", "localStorage", "navigator"]) {
  globalThis[name] = window[name];
}
globalThis.window = window;
// The client's build for browsers, which a bundler would choose.
const require = createRequire(import.meta.url);
const built = require.resolve("tus-js-client");
const forBrowsers = built.replace("/node/", "/browser/");
require(forBrowsers);
require.cache[built] = require.cache[forBrowsers];
const { default: Uppy } = await import("@uppy/core");
const { default: Tus } = await import("@uppy/tus");

const uppy = new Uppy();
uppy.use(Tus, { endpoint, chunkSize: 1024 * 1024, headers: { authorization: `Bearer ${token}` } });
uppy.addFile({ name: "gear.step", type: "model/step", data: new window.Blob([readFileSync(file)]) });
const { successful, failed } = await uppy.upload();
console.log(failed.length > 0 ? `failed ${failed[0].error}` : `done ${successful[0].uploadURL}`);
process.exit(failed.length);
