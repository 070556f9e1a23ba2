// A file of the card within a text: a picture, a link to another file, or the name of one that is gone.

import type { CardAttachments } from "../../../model/planning/card-attachments";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import type { FileReference } from "../../../ui/markdown";
import { saveBlob } from "../../../ui/save";
import { usePicture } from "../thumbnail";

interface AttachedFileProps {
  file: FileReference;
  attachments: CardAttachments;
}

export function AttachedFile({ file: { id, said, isPicture }, attachments }: AttachedFileProps) {
  const file = attachments.files.value.find((one) => one.id === id);
  const pictured = file && isPicture ? attachments.picturedOf(file) : undefined;
  const Picture = usePicture(pictured !== undefined);
  if (!file) return <s class="soft">{said}</s>;
  const words = said === "" || (Array.isArray(said) && said.length === 0) ? file.name : said;
  const save = async () => saveBlob(await attachments.read(file), file.name);
  return (
    <button type="button" class={pictured ? "text-picture" : "text-file"} title={text.attachments.save(file.name)}
      onClick={() => save().catch(tellFailure)}>
      {pictured && Picture
        ? <Picture key={id} of={{ ...pictured, px: 1024 }} icon="picture" said={words} /> : words}
    </button>
  );
}
