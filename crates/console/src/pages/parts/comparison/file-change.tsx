// A changed file: its size and kind before and after, and what can be compared of its content.

import { download } from "../../../api/content/downloads";
import type { FileRef } from "../../../api/content/objects";
import type { Field } from "../../../api/content/versions";
import type { Comparison, Entry, Side } from "../../../model/content/compared-entry";
import { isPicture, isText, sizeOf } from "../../../model/content/media";
import { text } from "../../../text";
import { languageOf } from "../../../ui/code-languages";
import { Code, Lines } from "../code";
import { Read } from "../read";
import { PictureChange } from "./picture-change";

const TEXT_BYTES = 1_000_000;

interface FileChangeProps {
  field: Field;
  comparison: Comparison;
  entry: Entry;
}

export function FileChange({ field, comparison, entry }: FileChangeProps) {
  const [before, after] = [field.base, field.head] as [FileRef | undefined, FileRef | undefined];
  const present = [before, after].filter((file) => file !== undefined);
  const arePictures = present.every((file) => isPicture(file.mimeType));
  const areTexts = present.every((file) => isText(file) && file.size < TEXT_BYTES);
  const read = () => Promise.all([fetched(entry, before, comparison.base), fetched(entry, after, comparison.head)]);
  return (
    <div class="long">
      <h3>{text.versions.fields["/file"]}</h3>
      <div class="file-change">
        {!arePictures && <FileFacts before={before} after={after} />}
        {(arePictures || areTexts) && (
          <Read read={read} keys={[before?.sha256, after?.sha256]}>
            {([old, now]) => (arePictures ? <PictureChange {...{ name: entry.name, old, now, before, after }} />
              : <TextChange {...{ name: entry.name, old, now, extension: present[0]?.extension }} />)}
          </Read>
        )}
      </div>
    </div>
  );
}

function FileFacts({ before, after }: { before: FileRef | undefined; after: FileRef | undefined }) {
  const isPair = before !== undefined && after !== undefined;
  const facts = ([[text.versions.before, before], [text.versions.after, after]] as const)
    .flatMap(([name, file]) => (file ? [`${isPair ? `${name}: ` : ""}${sizeOf(file.size)}, ${file.mimeType}`] : []));
  return <>{facts.map((fact) => <p key={fact} class="soft">{fact}</p>)}</>;
}

async function fetched({ objectId }: Entry, file: FileRef | undefined, side: Side | null): Promise<Blob | null> {
  return file && side ? download(side.place, objectId, file.extension, side.commit) : null;
}

interface ContentProps {
  name: string;
  old: Blob | null;
  now: Blob | null;
}

function TextChange({ name, old, now, extension = "" }: ContentProps & { extension: string | undefined }) {
  return (
    <Read read={() => Promise.all([old?.text() ?? null, now?.text() ?? null])} keys={[old, now]}>
      {([before, after]) => (before !== null && after !== null ? <Lines before={before} after={after} name={name} />
        : <Code content={after ?? before ?? ""} language={languageOf(extension)} label={name} />)}
    </Read>
  );
}
