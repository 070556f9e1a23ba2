// A picture of a view that was taken, to be put on a card, copied onto a page or saved.

import { tell } from "../../../model/messages";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { canCopyPictures, copyPicture } from "../../../ui/copy";
import { openDialog } from "../../../ui/dialog";
import { Picture } from "../../../ui/picture";
import { saveBlob } from "../../../ui/save";
import { PutOnCard, type OfferedPicture } from "./put-on-card";

/** Shows a picture with the ways to take it along. */
export function offerPicture(offered: OfferedPicture): void {
  const { blob, name } = offered;
  const copy = async () => {
    if (await copyPicture(blob)) tell(text.files.copied);
    else tell(text.shape.notCopied, { bad: true });
  };
  openDialog((close) => (
    <>
      <h2>{text.shape.taken}</h2>
      <div class="picture-offer"><Picture blob={blob} type={blob.type} name={text.shape.pictureOf(name)} /></div>
      <div class="actions">
        <Button name={text.cancel} onClick={close} />
        <PutOnCard offered={offered} done={close} />
        {canCopyPictures() && <Button name={text.shape.copyPicture} icon="copy"
          onClick={() => void copy().then(close)} />}
        <Button name={text.shape.savePicture} icon="download" kind="primary" onClick={() => {
          saveBlob(blob, `${name}.png`);
          close();
        }} />
      </div>
    </>
  ), { label: text.shape.taken, kind: "wide" });
}
