// The pages of a document as pictures, each fetched when it comes near.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { download } from "../../../api/content/downloads";
import { readPages, type ProjectObject } from "../../../api/content/objects";
import { tellFailure } from "../../../model/messages";
import { pageName } from "../../../model/content/page-name";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { useLoaded } from "../../../ui/loaded";
import { useNear } from "../../../ui/near";
import { Picture } from "../../../ui/picture";
import { Read } from "../../parts/read";

export function Pages({ place, id }: { place: string; id: string }) {
  const first = useLoaded(() => readPages(place, id, null), [place, id]).state.value;
  const rest = useSignal<Awaited<ReturnType<typeof readPages>>[]>([]);
  if (first.state === "waiting") return <p class="soft loading">{text.loading}</p>;
  if (first.state === "refused") return null;
  const all = [first.value, ...rest.value];
  const next = all.at(-1)?.next;
  const more = async () => {
    if (next) rest.value = [...rest.value, await readPages(place, id, next)];
  };
  return (
    <section>
      <h3>{text.files.pages}</h3>
      <ol class="pages">
        {all.flatMap(({ pages }) => pages).filter(({ file }) => file)
          .map((page) => <Page key={page.id} place={place} page={page} />)}
      </ol>
      {next && <Button name={text.files.more} onClick={() => more().catch(tellFailure)} />}
    </section>
  );
}

function Page({ place, page }: { place: string; page: ProjectObject }) {
  const item = useRef<HTMLLIElement>(null);
  const isNear = useNear(item);
  const { file } = page;
  const name = pageName(page);
  return (
    <li ref={item}>
      {isNear.value && file ? (
        <Read read={() => download(place, page.id, file.extension)} keys={[file.sha256]}>
          {(blob) => <Picture blob={blob} type={file.mimeType} name={text.files.pagePicture(name)} />}
        </Read>
      ) : <div class="loading" />}
      <span class="soft" dir="auto">{name}</span>
    </li>
  );
}
