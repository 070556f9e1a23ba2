// Where two pictures differ: the later one in pale grey, with what differs in a colour and a frame around each place.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PictureVersion } from "./picture";
import { markedPixels, pictureDifference, type Pixels } from "./picture-difference";

/** Longest edge that is compared, in pixels. */
const EDGE = 2048;
/** The colour of what differs, on any picture and in any scheme of the page. */
const MARK = [214, 0, 95] as const;

export interface DifferenceWords {
  label: string;
  none: string;
  found: (regions: number, percent: string) => string;
  failed: string;
}

export interface DifferenceViewProps {
  before: PictureVersion;
  after: PictureVersion;
  words: DifferenceWords;
}

export function DifferenceView({ before, after, words }: DifferenceViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const said = useSignal("");
  useEffect(() => {
    let isLeft = false;
    const pictures = Promise.all([load(before), load(after)]);
    void pictures.then((both) => {
      if (!isLeft && canvas.current) said.value = draw(canvas.current, both, words);
    }).catch(() => { if (!isLeft) said.value = words.failed; });
    return () => { isLeft = true; };
  }, [before.blob, after.blob]);
  return (
    <div class="difference">
      <canvas ref={canvas} class="picture" width={1} height={1} role="img" aria-label={words.label} />
      <p class="soft" role="status">{said.value}</p>
    </div>
  );
}

async function load({ blob, type }: PictureVersion): Promise<HTMLImageElement> {
  const url = URL.createObjectURL(new Blob([blob], { type: type.split(";")[0]?.trim() ?? "" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Draws the difference; returns it in words. */
function draw(canvas: HTMLCanvasElement, images: readonly HTMLImageElement[], words: DifferenceWords): string {
  const longest = (side: "naturalWidth" | "naturalHeight") => Math.max(1, ...images.map((image) => image[side]));
  const [width, height] = [longest("naturalWidth"), longest("naturalHeight")];
  const scale = Math.min(1, EDGE / Math.max(width, height));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return words.failed;
  const [old, now] = images.map((image): Pixels => {
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, image.naturalWidth * scale, image.naturalHeight * scale);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  });
  if (!old || !now) return words.failed;
  const difference = pictureDifference(old, now);
  context.putImageData(new ImageData(markedPixels(now, difference, MARK), canvas.width, canvas.height), 0, 0);
  context.strokeStyle = `rgb(${MARK.join()})`;
  context.lineWidth = Math.max(1, Math.round(canvas.width / 500));
  for (const region of difference.regions) context.strokeRect(region.x, region.y, region.width, region.height);
  const percent = difference.share.toLocaleString(undefined, { style: "percent", maximumSignificantDigits: 2 });
  return difference.regions.length === 0 ? words.none : words.found(difference.regions.length, percent);
}
