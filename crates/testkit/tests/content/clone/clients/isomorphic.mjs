// Clones and fetches with isomorphic-git; prints a line of JSON for each step.
import fs from "node:fs";
import git from "isomorphic-git";
import http from "isomorphic-git/http/node";

const [step, url, emptyUrl, key, folder] = process.argv.slice(2);
const at = (name) => ({ fs, http, dir: `${folder}/${name}`, onAuth: () => ({ username: "anyone", password: key }) });
const count = async (name) => (await git.log({ ...at(name), ref: "origin/main" })).length;

if (step === "clone") {
  await git.clone({ ...at("whole"), url });
  await git.clone({ ...at("shallow"), url, depth: 1 });
  await git.clone({ ...at("empty"), url: emptyUrl });
  const branches = await git.listBranches({ ...at("empty"), remote: "origin" });
  console.log(
    JSON.stringify({ whole: await count("whole"), shallow: await count("shallow"), empty: branches.length === 0 }),
  );
} else {
  const counts = {};
  for (const [name, depth] of [["whole", undefined], ["shallow", undefined], ["deeper", 2]]) {
    const folder = name === "deeper" ? "shallow" : name;
    await git.fetch({ ...at(folder), ref: "main", depth });
    counts[name] = await count(folder);
  }
  console.log(JSON.stringify(counts));
}
