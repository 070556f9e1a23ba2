// Two versions of a picture: side by side, over each other with a slider between them, and what differs.

import { useSignal } from "@preact/signals";
import { DifferenceView, type DifferenceWords } from "./difference-view";
import { Picture, type PictureVersion } from "./picture";

interface PicturesProps {
  name: string;
  before: PictureVersion;
  after: PictureVersion;
  words: { before: string; after: string; slider: (name: string) => string; at: (percent: number) => string;
    difference: DifferenceWords };
}

export function Pictures({ name, before, after, words }: PicturesProps) {
  const at = useSignal(50);
  return (
    <div class="pictures">
      <SideBySide name={name} versions={[before, after]} />
      <div class="slid">
        <div class="stack" style={{ "--at": `${at.value}%` }}>
          {[before, after].map(({ blob, type }, index) => (
            // Screen readers tell of the pictures side by side.
            <div key={index} class="layer" aria-hidden="true"><Picture blob={blob} type={type} name="" /></div>
          ))}
        </div>
        <div class="slider">
          <span class="soft">{words.before}</span>
          <input type="range" min={0} max={100} value={at.value} aria-label={words.slider(name)}
            aria-valuetext={words.at(at.value)}
            onInput={(event) => { at.value = Number(event.currentTarget.value); }} />
          <span class="soft">{words.after}</span>
        </div>
      </div>
      <DifferenceView before={before} after={after} words={words.difference} />
    </div>
  );
}

export function SideBySide({ name, versions }: { name: string; versions: readonly PictureVersion[] }) {
  return (
    <div class="side-by-side">
      {versions.map(({ blob, type, says }, at) => (
        <figure key={at}>
          <Picture blob={blob} type={type} name={`${name}: ${says}`} />
          <figcaption class="soft">{says}</figcaption>
        </figure>
      ))}
    </div>
  );
}
