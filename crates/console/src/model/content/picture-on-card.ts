// A picture of a view in space that is put on a card: an attachment, and a comment that leads to the view.

import { attachFile } from "../../api/planning/attachments";
import { addComment, type CardPath } from "../../api/planning/cards";
import { newKey } from "../../api/persist";
import { text } from "../../text";
import { stampOf } from "../planning/card-attachments";

export const pictureApi = { attach: attachFile, comment: addComment };
export type PictureApi = typeof pictureApi;

/** A picture that was taken of a view. */
export interface TakenPicture {
  blob: Blob;
  /** The name of what is seen. */
  name: string;
  /** The address that opens the same view. */
  address: string;
}

/** Letters of a name in that of the file: the service takes 255 with the time and the extension. */
const MOST = 200;

export class PictureOnCard {
  readonly #file: File;
  readonly #says: string;
  readonly #api: PictureApi;
  /** By card, so that a repeat after a failure attaches and says nothing twice. */
  readonly #keys = new Map<string, { attach: string; comment: string }>();

  constructor({ blob, name, address }: TakenPicture, now = new Date(), api: PictureApi = pictureApi) {
    this.#file = new File([blob], fileNameOf(name, now), { type: blob.type });
    this.#says = linkOf(text.shape.viewOf(name), address);
    this.#api = api;
  }

  /** Attaches the picture to a card, and says where the view is. */
  async put(path: CardPath): Promise<void> {
    const keys = this.#keys.get(path.cardId) ?? { attach: newKey(), comment: newKey() };
    this.#keys.set(path.cardId, keys);
    // A picture of a view is small: it is sent as a whole, without a progress to show.
    const sending = { key: keys.attach, signal: new AbortController().signal, progress: () => {} };
    await this.#api.attach(path, this.#file, sending);
    await this.#api.comment(path, this.#says, keys.comment);
  }
}

function fileNameOf(name: string, now: Date): string {
  const plain = [...name.replace(/[\\/]/g, "-")].slice(0, MOST).join("").trim();
  return `${plain} ${stampOf(now)}.png`.trim();
}

/** A link in Markdown. Signs in the words are only signs, and parentheses would end the address. */
export function linkOf(words: string, address: string): string {
  const plain = words.replace(/[\\[\]<>*_`~&!]/g, "\\$&");
  return `[${plain}](${address.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}
