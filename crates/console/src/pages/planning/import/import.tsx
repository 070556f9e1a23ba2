// Imports of cards from other planning tools into a project: a trial, the import itself, and those before.

import { useLayoutEffect } from "preact/hooks";
import type { CardImports } from "../../../model/planning/card-imports";
import { openCardImports, type OpenCardImports } from "../../../model/planning/open-card-imports";
import { text } from "../../../text";
import { search } from "../../../ui/address";
import { Empty } from "../../../ui/empty";
import { usePlace } from "../../../ui/place";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { projectPlace } from "../../parts/project-place";
import { Choice } from "./choice";
import { Earlier } from "./earlier";
import { Outcome } from "./outcome";

export default function ImportPage({ parameters: { project = "" } }: PageProps) {
  return (
    <PageState read={() => openCardImports(project)} keys={[project]} close={({ imports }) => imports?.close()}>
      {(open) => <Opened {...open} />}
    </PageState>
  );
}

function Opened({ opened, imports, mayWrite }: OpenCardImports) {
  usePlace(projectPlace(opened, "/cards/import", text.imports.title), [opened]);
  return (
    <div class="page">
      <h1>{text.imports.title}</h1>
      {imports === null ? (
        <Empty icon="people">
          <p>{text.imports.personal}</p>
          <a class="button" href={`/projects/${opened.project.id}/settings`}>{text.imports.toSettings}</a>
        </Empty>
      ) : (
        <>
          <p class="lead">{text.imports.lead}</p>
          {mayWrite ? <Choice imports={imports} /> : <p class="soft">{text.imports.readOnly}</p>}
          <Shown opened={opened} imports={imports} mayWrite={mayWrite} />
          <Earlier imports={imports} />
        </>
      )}
    </div>
  );
}

/** The import that the address names; without a name the one that runs, or the last. */
function Shown({ opened, imports, mayWrite }: OpenCardImports & { imports: CardImports }) {
  const named = search.value.get("import");
  useLayoutEffect(() => { imports.named.value = named; }, [imports, named]);
  const shown = imports.shown.value;
  if (shown) return <Outcome key={shown.id} opened={opened} imports={imports} shown={shown} mayWrite={mayWrite} />;
  return imports.named.value ? <p class="soft">{text.imports.foreign}</p> : null;
}
