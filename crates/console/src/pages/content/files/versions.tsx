// The versions of an object's file: downloaded, texts also read, texts and pictures compared. Of designs and documents,
// which have objects of their own, the page of comparisons shows what differs between two commits.

import { useSignal, type Signal } from "@preact/signals";
import { download } from "../../../api/content/downloads";
import { readVersions, type ObjectVersion, type ProjectObject } from "../../../api/content/objects";
import { isPicture, isText, sizeOf, wordsOf } from "../../../model/content/media";
import { ownsShape } from "../../../model/content/shape-kinds";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { languageOf } from "../../../ui/code-languages";
import { Time } from "../../../ui/time";
import { Code, Lines } from "../../parts/code";
import { PictureChange } from "../../parts/comparison/picture-change";
import { Mentions } from "../../parts/mentions";
import { Read } from "../../parts/read";
import { save } from "./heading";

/** Longest texts and pictures that are compared here. */
const TEXT_BYTES = 1_000_000;
const PICTURE_BYTES = 20_000_000;

interface VersionsProps {
  place: string;
  object: ProjectObject;
}

interface Presented {
  now: ObjectVersion;
  /** The version that it is compared with. */
  before?: ObjectVersion;
}

type PresentProps = VersionsProps & { presented: Presented };

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
const isSeen = ({ file }: ObjectVersion) => isPicture(file.mimeType) && file.size <= PICTURE_BYTES;
const projectOf = (place: string) => place.split("--")[0] ?? place;

/** The page that compares the commits of two versions; undefined where they have no parts, pages or commits. */
function comparisonOf(place: string, { id, type }: ProjectObject, before: ObjectVersion, now: ObjectVersion) {
  const hasParts = [before, now].every(({ file }) => ownsShape({ type, file }) || file.mimeType === "application/pdf");
  if (!hasParts || !before.commitHash || !now.commitHash) return undefined;
  const sides = new URLSearchParams({ base: before.commitHash, head: now.commitHash, object: id });
  return `/projects/${projectOf(place)}/compare?${sides.toString()}`;
}

function Version({ version, before, place, object, presented }: Omit<ListProps, "versions"> & {
  version: ObjectVersion;
  before: ObjectVersion | undefined;
}) {
  const { author, createdAt, file, commitHash, name } = version;
  const isCompared = before && ((isRead(version) && isRead(before)) || (isSeen(version) && isSeen(before)));
  const comparison = before && comparisonOf(place, object, before, version);
  return (
    <li>
      <span class="name" dir="auto">
        <Mentions said={nameOf(version)} place={{ project: { id: projectOf(place), key: null } }} />
      </span>
      <span class="soft" dir="auto">{author?.name}</span>
      <span class="soft"><Time iso={createdAt} /></span>
      <span class="soft">{sizeOf(file.size)}</span>
      <span class="version-actions">
        {isRead(version) && <Button name={text.files.view} kind="plain"
          onClick={() => { presented.value = { now: version }; }} />}
        {isCompared && <Button name={text.files.compare} kind="plain"
          label={text.files.compareBefore} onClick={() => { presented.value = { now: version, before }; }} />}
        {comparison && <a class="button plain" aria-label={text.files.compareBefore} href={comparison}>
          {text.files.compare}</a>}
        <Button name={text.files.save} icon="download" kind="plain" quiet
          onClick={() => save(place, object.id, { name, file }, commitHash)} />
      </span>
    </li>
  );
}

function Present(props: PresentProps) {
  const { now, before } = props.presented;
  return (
    <>
      <h3 dir="auto">{before ? `${nameOf(before)} → ${nameOf(now)}` : nameOf(now)}</h3>
      {before && isSeen(now) && !isRead(now) ? <ComparedPictures {...props} before={before} /> : <Words {...props} />}
    </>
  );
}

function ComparedPictures({ place, object, presented: { now }, before }: PresentProps & { before: ObjectVersion }) {
  const read = () => Promise.all([before, now].map(({ file, commitHash }) =>
    download(place, object.id, file.extension, commitHash)));
  return (
    <Read read={read} keys={[now, before]}>
      {([old = null, shown = null]) => (
        <PictureChange name={object.name} old={old} now={shown} before={before.file} after={now.file} />
      )}
    </Read>
  );
}

function Words({ place, object, presented: { now, before } }: PresentProps) {
  const wordsIn = async ({ file, commitHash }: ObjectVersion) =>
    wordsOf(await download(place, object.id, file.extension, commitHash), object.data.encoding);
  const read = () => Promise.all([wordsIn(now), before ? wordsIn(before) : null]);
  const language = languageOf(String(object.data.language ?? "")) || languageOf(now.file.extension ?? "");
  return (
    <Read read={read} keys={[now, before]}>
      {([words, old]) => (old === null ? <Code content={words} language={language} label={nameOf(now)} />
        : <Lines before={old} after={words} name={object.name} />)}
    </Read>
  );
}
