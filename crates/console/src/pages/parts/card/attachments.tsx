// The files of a card: attached by a button, by dropping them on the card, or by pasting a picture; saved and removed.
// Those on their way say how far they are, and can be given up.

import { useRef } from "preact/hooks";
import type { CardAttachment } from "../../../api/planning/attachments";
import { sizeOf } from "../../../model/content/media";
import { pastedFile, type CardAttachments, type SentFile } from "../../../model/planning/card-attachments";
import { isImage } from "../../../model/planning/file-references";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { droppedFiles, hasFiles } from "../../../ui/dropped";
import { Icon } from "../../../ui/icon";
import { SaveHost, saveBlob } from "../../../ui/save";
import { Time } from "../../../ui/time";
import { Thumbnail } from "../thumbnail";

export function AttachmentsSection({ attachments }: { attachments: CardAttachments }) {
  const [files, sent] = [attachments.files.value, attachments.sent.value];
  if (files.length + sent.length === 0) return null;
  return (
    <section aria-labelledby="attachments">
      <div class="section-head">
        <h3 id="attachments">{text.attachments.title}</h3>
        <AttachButton attachments={attachments} isQuiet />
      </div>
      <ul class="related" aria-labelledby="attachments">
        {files.map((file) => <Attached key={file.id} file={file} attachments={attachments} />)}
        {sent.map((one) => <Sent key={one.key} one={one} attachments={attachments} />)}
      </ul>
      <SaveHost />
    </section>
  );
}

/** Chooses files of the person's disk. */
export function AttachButton({ attachments, isQuiet }: { attachments: CardAttachments; isQuiet: boolean }) {
  const picker = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement) => {
    void attachments.add([...input.files ?? []]);
    // So that the same file can be chosen again.
    input.value = "";
  };
  return (
    <>
      <Button name={text.attachments.add} icon={isQuiet ? "plus" : "file"} kind="plain small" quiet={isQuiet}
        onClick={() => picker.current?.click()} />
      <input ref={picker} type="file" multiple hidden aria-label={text.attachments.add}
        onChange={(event) => take(event.currentTarget)} />
    </>
  );
}

function Attached({ file, attachments }: { file: CardAttachment; attachments: CardAttachments }) {
  const { name, size, authorDisplayName: author, createdAt } = file;
  const save = async () => saveBlob(await attachments.read(file), name);
  return (
    <li>
      <Thumbnail of={attachments.picturedOf(file)} icon={isImage(file) ? "picture" : "file"} px={28} />
      <span class="name" dir="auto">{name}</span>
      <span class="soft stands">{sizeOf(size)}</span>
      <span class="soft stands" dir="auto">{author}</span>
      <span class="soft stands"><Time iso={createdAt} /></span>
      <Button name={text.attachments.save(name)} icon="download" kind="plain small" quiet
        onClick={() => save().catch(tellFailure)} />
      <Button name={text.attachments.remove(name)} icon="close" kind="plain small" quiet
        onClick={() => attachments.remove(file)} />
    </li>
  );
}

function Sent({ one, attachments }: { one: SentFile; attachments: CardAttachments }) {
  const { file: { name, size }, failure, part } = one;
  return (
    <li>
      <Icon name={failure ? "warning" : "wait"} />
      <span class="name" dir="auto">{name}</span>
      <span class="soft stands">{sizeOf(size)}</span>
      {!failure && part > 0 && <span class="soft stands">{text.attachments.sent(Math.floor(part * 100))}</span>}
      <span class={failure ? "failure" : "soft"} role="status">{failure || text.attachments.sending}</span>
      {failure && <Button name={text.errors.again} kind="plain small" onClick={() => attachments.retry(one)} />}
      <Button name={text.attachments.giveUp(name)} icon="close" kind="plain small" quiet
        onClick={() => attachments.giveUp(one)} />
    </li>
  );
}

/** Handlers of a card's panel: files that are dropped on it, and pictures that are pasted in it, are attached. */
export const takesFiles = (attachments: CardAttachments) => takenFiles((files) => void attachments.add(files));

/** Handlers that give dropped files and pasted pictures to `take`, and to nothing around. */
export function takenFiles(take: (files: File[]) => void) {
  const onDrop = (event: DragEvent) => {
    if (!hasFiles(event) || !event.dataTransfer || event.defaultPrevented) return;
    event.preventDefault();
    const dropped = droppedFiles(event.dataTransfer).then(({ files }) => files.map(({ file }) => file));
    void dropped.then(take).catch(tellFailure);
  };
  const onPaste = (event: ClipboardEvent) => {
    // A copied text of an office program has a picture of itself beside it.
    const isText = event.clipboardData?.types.includes("text/plain") ?? true;
    const files = [...event.clipboardData?.files ?? []];
    if (isText || files.length === 0 || event.defaultPrevented) return;
    event.preventDefault();
    const now = new Date();
    take(files.map((file) => pastedFile(file, now)));
  };
  return { onDrop, onPaste };
}
