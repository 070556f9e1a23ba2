// The picture in the place of a thumbnail, read when it comes near the viewport.

import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Pictured } from "../../model/content/shape-kinds";
import { thumbnails } from "../../model/content/thumbnails";
import { Icon } from "../../ui/icon";
import { useNear } from "../../ui/near";

/** Time for which a row must stay: rows that are scrolled past ask for nothing. */
const STAY_MS = 120;

export interface PictureProps {
  /** It stays the same as long as the component does. */
  of: Pictured;
  icon: string;
  /** The words for the picture; without them it is decoration. */
  said?: ComponentChild;
}

export function ThumbnailPicture({ of, icon, said }: PictureProps) {
  const place = useRef<HTMLSpanElement>(null);
  const url = useSignal(thumbnails.known(of));
  const isNear = useNear(place, "200px").value;
  useEffect(() => {
    if (!isNear) return;
    let leave = () => {};
    const show = () => { leave = thumbnails.show(of, (now) => { url.value = now; }); };
    const timer = setTimeout(show, url.peek() === undefined ? STAY_MS : 0);
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [isNear]);
  return (
    <span ref={place}>
      {url.value ? <img src={url.value} alt={typeof said === "string" ? said : ""} draggable={false} />
        : <><Icon name={icon} />{said}</>}
    </span>
  );
}
