// The uploads of this tab: how far they are, the outcome of each, and how to end them.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { arrivedPart, cancelUploads, dismissUploads, isEnded, isUploading, uploads, type Upload }
  from "../../model/content/uploads";
import { text } from "../../text";
import { path } from "../../ui/address";
import { Button } from "../../ui/button";

export function Uploads() {
  const [isOpen, isTheirs] = [useSignal(false), useSignal(false)];
  const all = uploads.value;
  const current = all.find((upload) => upload.state === "sending") ?? all.find((upload) => !isEnded(upload));
  const href = (current ?? all[0])?.target.href ?? "/";
  const cancel = () => cancelUploads(all.filter((upload) => !isEnded(upload)).map(({ id }) => id));
  const close = () => { for (const { target } of all) dismissUploads(target.place); };
  return (
    <>
      <details class="uploading" onToggle={(event) => { isOpen.value = event.currentTarget.open; }}>
        <summary>
          {isUploading.value && <progress max={1} value={arrivedPart.value} aria-label={text.files.upload} />}
          <span role="status" dir="auto">{summaryOf(all)}</span>
        </summary>
        {isOpen.value && <Outcomes all={all} current={current?.id} isTheirs={isTheirs} />}
      </details>
      {new URL(href, location.origin).pathname !== path.value && <a href={href}>{text.files.goTo}</a>}
      {isUploading.value ? <Button name={text.files.cancelAll} kind="plain" onClick={cancel} />
        : <Button name={text.close} icon="close" kind="plain" quiet onClick={close} />}
    </>
  );
}

function summaryOf(all: readonly Upload[]): string {
  const count = (state: Upload["state"]) => all.filter((upload) => upload.state === state).length;
  const [only, cancelled, failed] = [all[0], count("cancelled"), count("failed")];
  if (isUploading.value) {
    return all.length === 1 && only ? stateOf(only) : text.files.progress(all.filter(isEnded).length, all.length);
  }
  if (cancelled === all.length) return text.files.cancelled(cancelled);
  if (all.every(({ file }) => !file) && failed === 0) return text.files.foldersMade(all.length);
  const done = all.filter(({ state, file }) => state === "done" && file).length;
  return text.files.outcome(done, failed + cancelled);
}

function stateOf({ path: name, file, state, part, reason = "" }: Upload): string {
  switch (state) {
    case "waiting": return text.files.waits;
    case "sending": return text.files.sending(name.split("/").at(-1) ?? name, Math.floor(part * 100));
    case "done": return file ? text.files.isDone : text.files.isCreated;
    case "failed": return text.files.failed(name, reason);
    case "cancelled": return text.files.isCancelled;
  }
}

interface OutcomesProps {
  all: readonly Upload[];
  current: number | undefined;
  /** The person has scrolled the list: it stays where it is. */
  isTheirs: Signal<boolean>;
}

function Outcomes({ all, current, isTheirs }: OutcomesProps) {
  const scrolled = () => { isTheirs.value = true; };
  return (
    <ul class="outcomes" tabIndex={0} aria-label={text.files.uploads} onWheel={scrolled} onTouchMove={scrolled}
      onPointerDown={scrolled} onKeyDown={scrolled}>
      {all.map((upload) => (
        <Outcome key={upload.id} upload={upload} isFollowed={upload.id === current && !isTheirs.value} />
      ))}
    </ul>
  );
}

function Outcome({ upload, isFollowed }: { upload: Upload; isFollowed: boolean }) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const list = row.current?.parentElement;
    if (!isFollowed || !row.current || !list) return;
    list.scrollTop += row.current.getBoundingClientRect().top - list.getBoundingClientRect().top;
  }, [isFollowed]);
  const { id, path: name, state } = upload;
  return (
    <li ref={row} class={state === "failed" ? "failure" : undefined}>
      <span dir="auto" title={name}>{name}</span>
      <span>{stateOf(upload)}</span>
      {!isEnded(upload) && <Button name={text.files.cancelUpload(name)} icon="close" kind="plain small" quiet
        onClick={() => cancelUploads([id])} />}
    </li>
  );
}
