// Part of the modules that `build.mjs --watch` makes, and of no others: loads the page again once the service has a later
// build, whose page names other files and so has another tag.

const EVERY_MS = 500;

async function tag() {
  const page = await fetch(location.pathname, { method: "HEAD", headers: { Accept: "text/html" } });
  return page.headers.get("ETag");
}

let loaded = null;
setInterval(() => {
  // The service may be starting.
  tag().then((now) => {
    loaded ??= now;
    if (now !== loaded) location.reload();
  }, () => {});
}, EVERY_MS);
