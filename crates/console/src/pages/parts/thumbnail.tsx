// A small picture of an object with a shape. Its place has a fixed size, and shows an icon until the picture is there
// and for objects without one. Pictures are a module of their own, because the first page shows none.

import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import type { Pictured } from "../../model/content/shape-kinds";
import { Icon } from "../../ui/icon";
import type { PictureProps } from "./thumbnail-picture";

const loaded = signal<ComponentType<PictureProps> | null>(null);

interface ThumbnailProps {
  /** The object; without one the icon is shown. */
  of: Pictured | undefined;
  icon: string;
  /** Edge of its place. */
  px: number;
}

/** The component of pictures, once it is there for a place that has one. */
export function usePicture(isPictured: boolean): ComponentType<PictureProps> | null {
  useEffect(() => {
    if (!isPictured || loaded.peek()) return;
    // Without the module, the place stays as it is.
    import("./thumbnail-picture").then((module) => { loaded.value = module.ThumbnailPicture; }, () => {});
  }, [isPictured]);
  return loaded.value;
}

export function Thumbnail({ of, icon, px }: ThumbnailProps) {
  const Picture = usePicture(of !== undefined);
  return (
    <span class="thumbnail" style={{ width: `${px}px`, height: `${px}px` }}>
      {of && Picture
        ? <Picture key={`${of.sha256 ?? of.geometry} ${of.id}`} of={of} icon={icon} /> : <Icon name={icon} />}
    </span>
  );
}
