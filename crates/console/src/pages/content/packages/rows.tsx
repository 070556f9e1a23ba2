// Rows of packages: published ones with their reference, included ones with the commit that they are pinned to.

import type { Package } from "../../../api/content/packages";
import { isOld, type Inclusion, type Packages } from "../../../model/content/packages";
import { tell, tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { Time } from "../../../ui/time";
import { copyAndTell } from "../../parts/copied";
import { askWithdraw } from "./asks";

interface RowProps<One> {
  one: One;
  project: string;
  packages: Packages;
}

const updated = (sent: Promise<void>) => sent.then(() => void tell(text.packages.updated), tellFailure);

export function Published({ one, project, packages }: RowProps<Package>) {
  const { id, name, description, objectCount, updatedAt, ref, commitHash } = one;
  return (
    <li class="row package-row">
      <Icon name="package" />
      <span>
        <a class="name" dir="auto" href={`/projects/${project}?object=${id}`}>{name}</a>
        {description && <span class="soft" dir="auto"> {description}</span>}
      </span>
      <span class="soft">
        {text.packages.objects(objectCount)}, <a href={`/projects/${project}/commits/${commitHash}`}>
          {text.versions.short(commitHash)}</a>, <Time iso={updatedAt} />
      </span>
      <span class="row-actions">
        <Button name={text.packages.copy} icon="copy" kind="plain" quiet onClick={() => copyAndTell(ref)} />
        <Button name={text.packages.newState} kind="plain"
          onClick={() => updated(packages.publish(id, description))} />
        <Button name={text.packages.withdraw} kind="plain" onClick={() => askWithdraw(packages, one)} />
      </span>
    </li>
  );
}

export function Included({ one, project, packages }: RowProps<Inclusion>) {
  const { include: { id, name, include: pinned, available }, newest } = one;
  return (
    <li class="row package-row">
      <Icon name="package" />
      <a class="name" dir="auto" href={`/projects/${project}?object=${id}`}>{name}</a>
      <span class="soft">
        {text.packages.pinned(pinned.commitHash)}
        {!available && <span class="badge changed">{text.packages.away}</span>}
        {newest && !isOld(one) && <span class="badge">{text.packages.newest}</span>}
      </span>
      <span class="row-actions">
        {newest && isOld(one) && <Button name={text.packages.update}
          onClick={() => updated(packages.update(id, newest.commitHash))} />}
      </span>
    </li>
  );
}
