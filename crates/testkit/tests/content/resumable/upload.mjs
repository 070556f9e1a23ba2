// Uploads a file with tus-js-client: stops after some pieces, says where it is, waits for a line with a token, goes on.
import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import * as tus from "tus-js-client";

const [endpoint, token, file, pauseAfter] = process.argv.slice(2);
let [pieces, paused] = [0, false];
const upload = new tus.Upload(createReadStream(file), {
  endpoint,
  chunkSize: 1024 * 1024,
  uploadSize: statSync(file).size,
  metadata: { filename: "gear.step", filetype: "model/step" },
  headers: { authorization: `Bearer ${token}` },
  retryDelays: Array(60).fill(250),
  onChunkComplete: () => {
    pieces += 1;
    if (pieces === Number(pauseAfter) && !paused) {
      paused = true;
      upload.abort().then(() => console.log(`paused ${upload.url}`));
    }
  },
  onError: (error) => {
    console.log(`failed ${error}`);
    process.exit(1);
  },
  onSuccess: () => {
    console.log(`done ${upload.url}`);
    process.exit(0);
  },
});
createInterface({ input: process.stdin }).on("line", (token) => {
  const resumed = new tus.Upload(createReadStream(file), {
    ...upload.options,
    headers: { authorization: `Bearer ${token}` },
    uploadUrl: upload.url,
    onSuccess: () => {
      console.log(`done ${resumed.url}`);
      process.exit(0);
    },
  });
  resumed.start();
});
upload.start();
