// Uploads a file with tus-js-client at once: in parallel parts, as a stream of unknown length, or by the IETF's draft.
import { createReadStream } from "node:fs";
import { PassThrough } from "node:stream";
import * as tus from "tus-js-client";

const [endpoint, token, file, way] = process.argv.slice(2);
const ways = {
  parallel: [createReadStream(file), { parallelUploads: 3 }],
  deferred: [createReadStream(file).pipe(new PassThrough()), { uploadLengthDeferred: true }],
  draft05: [createReadStream(file), { protocol: "ietf-draft-05" }],
};
const [source, options] = ways[way];
const upload = new tus.Upload(source, {
  endpoint,
  chunkSize: 1024 * 1024,
  metadata: { filename: "gear.step" },
  headers: { authorization: `Bearer ${token}` },
  onError: (error) => {
    console.log(`failed ${error}`);
    process.exit(1);
  },
  onSuccess: () => console.log(`done ${upload.url}`),
  ...options,
});
upload.start();
