// A picture of a view that was taken, to be copied onto a page or saved.

import { tell } from "../../../model/messages";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { canCopyPictures, copyPicture } from "../../../ui/copy";
import { openDialog } from "../../../ui/dialog";
import { Picture } from "../../../ui/picture";
import { saveBlob } from "../../../ui/save";

/** Shows a picture with the ways to take it along. */
export function offerPicture(picture: Blob, name: string): void {
  const copy = async () => {
    if (await copyPicture(picture)) tell(text.files.copied);
    else tell(text.shape.notCopied, { bad: true });
  };
  openDialog((close) => (
    <>
      <h2>{text.shape.taken}</h2>
      <div class="picture-offer"><Picture blob={picture} type={picture.type} name={text.shape.pictureOf(name)} /></div>
      <div class="actions">
        <Button name={text.cancel} onClick={close} />
        {canCopyPictures() && <Button name={text.shape.copyPicture} icon="copy"
          onClick={() => void copy().then(close)} />}
        <Button name={text.shape.savePicture} icon="download" kind="primary" onClick={() => {
          saveBlob(picture, `${name}.png`);
          close();
        }} />
      </div>
    </>
  ), { label: text.shape.taken, kind: "wide" });
}
