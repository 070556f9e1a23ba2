// The breadcrumbs of the page, each with a menu of the others of its kind.

import { tellFailure } from "../../model/messages";
import { text } from "../../text";
import { MenuButton } from "../../ui/menu";
import { place, type Crumb } from "../../ui/place";

export function Breadcrumbs() {
  const { crumbs } = place.value;
  return (
    <ol class="crumbs">
      {crumbs.map((crumb, at) => (
        <Breadcrumb key={`${at} ${crumb.name}`} {...crumb} isLast={at === crumbs.length - 1} />
      ))}
    </ol>
  );
}

function Breadcrumb({ name, href, others, isLast }: Crumb & { isLast: boolean }) {
  const current = isLast ? ("page" as const) : undefined;
  return (
    <li>
      {href ? (
        <a href={href} aria-current={current} dir="auto">
          {name}
        </a>
      ) : (
        <span aria-current={current} dir="auto">
          {name}
        </span>
      )}
      {others && (
        <MenuButton
          name={text.frame.other(name)}
          icon="down"
          kind="plain small"
          quiet
          options={others}
          failed={tellFailure}
        />
      )}
    </li>
  );
}
