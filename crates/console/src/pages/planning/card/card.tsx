// A card as a page of its own, for links and for cards on no board.

import { useComputed } from "@preact/signals";
import { watch, type Watch } from "../../../api/watch";
import { cardOf } from "../../../api/events";
import { openProject, type OpenedProject } from "../../../model/content/project";
import { titleOf } from "../../../model/planning/card-name";
import { OpenCard } from "../../../model/planning/open-card";
import { momentOf, openPastCard, type PastCard } from "../../../model/planning/past";
import { text } from "../../../text";
import { open, search } from "../../../ui/address";
import { usePlace } from "../../../ui/place";
import { CardPanel } from "../../parts/card/panel";
import { PastCardView } from "../../parts/card/past";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { PastBanner } from "../../parts/past";
import { projectPlace } from "../../parts/project-place";

interface OpenPage {
  card: OpenCard;
  opened: OpenedProject;
  live: Watch;
}

async function openPage(projectId: string, cardId: string): Promise<OpenPage> {
  const opened = await openProject(projectId, null);
  const teamOf = (teamId: string) => ({ orgId: opened.project.ownerId, teamId });
  const card = await OpenCard.open({ projectId, cardId }, { board: null, teamOf });
  const live = watch(`/api/v2/projects/${projectId}/events`, () => card.refresh(), (event) => {
    if (event.type.startsWith("field.")) void card.refreshAround();
    return card.isAbout(event) && (event.type !== "card.deleted" || cardOf(event) !== card.path.cardId);
  });
  return { card, opened, live };
}

async function openPast(projectId: string, cardId: string, at: string) {
  const [opened, past] = await Promise.all([openProject(projectId, null), openPastCard({ projectId, cardId }, at)]);
  return { opened, past };
}

export default function CardPage({ parameters: { project = "", card = "" } }: PageProps) {
  const at = useComputed(() => momentOf(search.value)).value;
  if (at !== null) return <Past project={project} card={card} at={at} />;
  return (
    <PageState read={() => openPage(project, card)} keys={[project, card]} close={({ live }) => live.stop()}>
      {(page) => <Opened {...page} />}
    </PageState>
  );
}

/** The card as it was. Its mark stands also where the moment is refused. */
function Past({ project, card, at }: { project: string; card: string; at: string }) {
  return (
    <div class="page card-page">
      <h1 class="unseen">{text.card.title}</h1>
      <PastBanner at={at} />
      <PageState read={() => openPast(project, card, at)} keys={[project, card, at]}>
        {(page) => <OpenedPast {...page} />}
      </PageState>
    </div>
  );
}

function OpenedPast({ opened, past }: { opened: OpenedProject; past: PastCard }) {
  usePlace(projectPlace(opened, "/cards", titleOf(past.read.card)), [past]);
  return <PastCardView past={past} />;
}

function Opened({ card, opened, live }: OpenPage) {
  const { key, name } = card.now.value.card;
  const state = live.state.value;
  usePlace({ ...projectPlace(opened, "/cards", titleOf({ key, name })), live: state }, [card, key, name, state]);
  return (
    <div class="page card-page">
      <h1 class="unseen">{text.card.title}</h1>
      <CardPanel card={card} me={opened.caller.id} gone={() => open(`/projects/${card.path.projectId}`)} />
    </div>
  );
}
