// The choice of a branch, and a heading with it.

import type { ComponentChildren } from "preact";
import type { Branch } from "../../api/content/projects";
import { text } from "../../text";
import { Icon } from "../../ui/icon";
import { MenuButton } from "../../ui/menu";

/** Branches from which on their menu has a field to find one. */
const MANY = 8;

interface BranchMenuProps {
  branches: readonly Pick<Branch, "name">[];
  chosen: string;
  label?: string;
  choose: (branch: string) => void;
}

/** A button with the name of a branch, which opens a menu of all. */
export function BranchMenu({ branches, chosen, label = text.branches.branch, choose }: BranchMenuProps) {
  return (
    <MenuButton name={chosen} label={`${label}: ${chosen}`} icon="branch" kind="branch-menu" options={() => ({
      label,
      ...(branches.length > MANY ? { find: text.branches.find } : {}),
      entries: () => branches.map(({ name }) => ({ name, checked: name === chosen, run: () => choose(name) })),
    })}>
      <Icon name="down" />
    </MenuButton>
  );
}

/** The heading of a page that shows one branch. */
export function BranchHeading({ title, children, ...menu }: BranchMenuProps & {
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="heading">
      <h1>{title}</h1>
      <BranchMenu {...menu} />
      {children}
    </div>
  );
}
