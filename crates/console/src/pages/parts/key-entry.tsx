// A key in a list, and what can be done while it works.

import type { Key } from "../../api/people/keys";
import { isOver, type Keys } from "../../model/people/keys";
import { scopeWords } from "../../model/people/scopes";
import { text } from "../../text";
import { Button } from "../../ui/button";
import { Entry } from "../../ui/entries";
import { Time } from "../../ui/time";
import { askRotate } from "./key-dialogs";

export function KeyEntry({ keys, own }: { keys: Keys; own: Key }) {
  const { name, mask, lastUsedAt, expiresAt, scopes } = own;
  const isEnded = isOver(own);
  const used = lastUsedAt ? <>{text.keys.used} <Time iso={lastUsedAt} /></> : text.keys.unused;
  const below = (
    <>
      <code>{mask}</code> · {used} · {isEnded ? text.keys.ended : text.keys.ends} <Time iso={expiresAt} />
      {" · "}{scopeWords(scopes)}
    </>
  );
  return (
    <Entry name={name} icon="key" below={below}>
      {!isEnded && <Button name={text.keys.rotate} onClick={() => askRotate(keys, own)} />}
      {!isEnded && <Button name={text.keys.revoke} kind="bad" onClick={() => keys.revoke(own)} />}
    </Entry>
  );
}
