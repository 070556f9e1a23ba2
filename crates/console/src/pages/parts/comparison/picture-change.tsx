// A picture before and after, in the console's words.

import type { FileRef } from "../../../api/content/objects";
import { sizeOf } from "../../../model/content/media";
import { text } from "../../../text";
import type { PictureVersion } from "../../../ui/picture";
import { Pictures, SideBySide } from "../../../ui/pictures";

interface PictureChangeProps {
  name: string;
  old: Blob | null;
  now: Blob | null;
  before: FileRef | undefined;
  after: FileRef | undefined;
}

export function PictureChange({ name, old, now, before, after }: PictureChangeProps) {
  const version = (blob: Blob | null, file: FileRef | undefined, said: string): PictureVersion[] =>
    (blob && file ? [{ blob, type: file.mimeType, says: `${said}, ${sizeOf(file.size)}` }] : []);
  const [first, second] = [...version(old, before, text.versions.before), ...version(now, after, text.versions.after)];
  if (!first) return null;
  if (!second) return <SideBySide name={name} versions={[first]} />;
  const { none, found, failed, of } = text.versions.picture;
  return <Pictures name={name} before={first} after={second} words={{ before: text.versions.before,
    after: text.versions.after, slider: text.versions.slider, at: text.versions.sliderAt,
    difference: { label: of(name), none, found, failed } }} />;
}
