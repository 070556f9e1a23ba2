// The line at the bottom: uploads, until their outcome was seen, and a stream or a service that can't be reached.

import { isReached } from "../../api/persist";
import { uploads } from "../../model/content/uploads";
import { text } from "../../text";
import { Icon } from "../../ui/icon";
import { place } from "../../ui/place";
import { Uploads } from "./uploads";

export function Status() {
  const away = awayNow();
  const hasUploads = uploads.value.length > 0;
  if (!hasUploads && !away) return null;
  return (
    <footer class="status">
      {away && <p class="status-live" role="status"><Icon name="warning" />{away}</p>}
      {hasUploads && <Uploads />}
    </footer>
  );
}

/** Why the page may not show the present; one reason at a time. */
function awayNow(): string | undefined {
  if (!isReached.value) return text.live.offline;
  const { live } = place.value;
  return live === "connecting" || live === "ended" ? text.live[live] : undefined;
}
