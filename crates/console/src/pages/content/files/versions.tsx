// The versions of an object's file: downloaded, and texts also read and compared.

import { useSignal, type Signal } from "@preact/signals";
import { download } from "../../../api/downloads";
import { readVersions, type ObjectVersion, type ProjectObject } from "../../../api/objects";
import { isText, sizeOf, wordsOf } from "../../../model/content/media";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { languageOf } from "../../../ui/code-languages";
import { Time } from "../../../ui/time";
import { Code, Lines } from "../../parts/code";
import { Mentions } from "../../parts/mentions";
import { Read } from "../../parts/read";
import { save } from "./heading";

/** Longest texts that are read and compared here. */
const TEXT_BYTES = 1_000_000;

interface VersionsProps {
  place: string;
  object: ProjectObject;
}

interface Presented {
  now: ObjectVersion;
  /** The version that it is compared with. */
  before?: ObjectVersion;
}

export function Versions({ place, object }: VersionsProps) {
  const [isOpen, presented] = [useSignal(false), useSignal<Presented | null>(null)];
  return (
    <details class="file-versions" onToggle={(event) => { isOpen.value = event.currentTarget.open; }}>
      <summary>{text.files.versions}</summary>
      {isOpen.value && (
        <Read read={() => readVersions(place, object.id)} keys={[object.id]}>
          {(versions) => <List {...{ place, object, versions, presented }} />}
        </Read>
      )}
      <div class="version-shown" aria-live="polite">
        {presented.value && <Present place={place} object={object} presented={presented.value} />}
      </div>
    </details>
  );
}

interface ListProps extends VersionsProps {
  versions: readonly ObjectVersion[];
  presented: Signal<Presented | null>;
}

function List({ versions, ...shared }: ListProps) {
  return (
    <ul class="versions">
      {versions.map((version, at) => <Version key={at} version={version} before={versions[at + 1]} {...shared} />)}
    </ul>
  );
}

const nameOf = ({ message }: ObjectVersion) => message?.split("\n")[0] ?? text.files.uncommitted;
const isRead = ({ file }: ObjectVersion) => isText(file) && file.size <= TEXT_BYTES;

function Version({ version, before, place, object, presented }: Omit<ListProps, "versions"> & {
  version: ObjectVersion;
  before: ObjectVersion | undefined;
}) {
  const { author, createdAt, file, commitHash, name } = version;
  return (
    <li>
      <span class="name" dir="auto">
        <Mentions said={nameOf(version)} place={{ project: { id: place.split("--")[0] ?? place, key: null } }} />
      </span>
      <span class="soft" dir="auto">{author?.name}</span>
      <span class="soft"><Time iso={createdAt} /></span>
      <span class="soft">{sizeOf(file.size)}</span>
      <span class="version-actions">
        {isRead(version) && <Button name={text.files.view} kind="plain"
          onClick={() => { presented.value = { now: version }; }} />}
        {isRead(version) && before && isRead(before) && <Button name={text.files.compare} kind="plain"
          label={text.files.compareBefore} onClick={() => { presented.value = { now: version, before }; }} />}
        <Button name={text.files.save} icon="download" kind="plain" quiet
          onClick={() => save(place, object.id, { name, file }, commitHash)} />
      </span>
    </li>
  );
}

function Present({ place, object, presented: { now, before } }: VersionsProps & { presented: Presented }) {
  const wordsIn = async ({ file, commitHash }: ObjectVersion) =>
    wordsOf(await download(place, object.id, file.extension, commitHash), object.data.encoding);
  const read = () => Promise.all([wordsIn(now), before ? wordsIn(before) : null]);
  const language = languageOf(String(object.data.language ?? "")) || languageOf(now.file.extension ?? "");
  return (
    <>
      <h3 dir="auto">{before ? `${nameOf(before)} → ${nameOf(now)}` : nameOf(now)}</h3>
      <Read read={read} keys={[now, before]}>
        {([words, old]) => (old === null ? <Code content={words} language={language} label={nameOf(now)} />
          : <Lines before={old} after={words} name={object.name} />)}
      </Read>
    </>
  );
}
