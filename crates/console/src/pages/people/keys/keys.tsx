// The caller's own API keys.

import { Keys } from "../../../model/people/keys";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { Button } from "../../../ui/button";
import { Entries } from "../../../ui/entries";
import { usePlace } from "../../../ui/place";
import { askKey, askRevokeAll } from "../../parts/key-dialogs";
import { KeyEntry } from "../../parts/key-entry";
import { PageState } from "../../parts/page-state";
import { accountPlace } from "../../parts/people-place";

export default function KeysPage() {
  usePlace(accountPlace("/account/keys", text.keys.title), []);
  return (
    <PageState read={() => Keys.open()} keys={[]}>
      {(keys) => <Opened keys={keys} />}
    </PageState>
  );
}

function Opened({ keys }: { keys: Keys }) {
  const add = () => askKey(keys, text.keys.add);
  useActions(() => [{ name: text.keys.add, icon: "plus", group: text.keys.title, run: add }]);
  return (
    <div class="page">
      <div class="heading">
        <h1>{text.keys.title}</h1>
        {keys.live.length > 1 && <Button name={text.keys.revokeAll} kind="bad" onClick={() => askRevokeAll(keys)} />}
        <Button name={text.keys.add} icon="plus" kind="primary" onClick={add} />
      </div>
      <p class="lead">{text.keys.lead}</p>
      <Entries label={text.keys.title} empty={text.keys.none}>
        {keys.shown.value.map((own) => <KeyEntry key={own.id} keys={keys} own={own} />)}
      </Entries>
    </div>
  );
}
