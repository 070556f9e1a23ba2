// A saved view: leads to the page of its team, or lists the cards of several.

import { useEffect } from "preact/hooks";
import { readTeamProjects, type TeamPath } from "../../../api/planning/boards";
import { readTags } from "../../../api/planning/cards";
import type { IndexCard } from "../../../api/places";
import { readView, readViewCards, type SavedView } from "../../../api/planning/views";
import { readAllTeams } from "../../../model/people/account";
import { parametersOfView, teamOf } from "../../../model/planning/saved-view";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { Empty } from "../../../ui/empty";
import { usePlace } from "../../../ui/place";
import { Day } from "../../../ui/time";
import { CardTitle, PriorityMark } from "../../parts/card-marks";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";

/** A view, and where it is shown: on a page of its team, or here. */
type OpenView = { view: SavedView } & ({ address: string } | { cards: IndexCard[]; hasMore: boolean });

async function openView(id: string): Promise<OpenView> {
  const view = await readView(id);
  const wanted = teamOf(view);
  const team = wanted && (await readAllTeams()).teams.find((one) => one.id === wanted);
  if (!team) return { view, ...await readViewCards(view) };
  const path = { orgId: team.organization_id, teamId: team.id };
  const page = `/orgs/${path.orgId}/teams/${path.teamId}${view.layout === "table" ? "/cards" : ""}`;
  return { view, address: `${page}?${parametersOfView(view, await tagNames(view, path))}` };
}

/** The names of the tags in the team's projects, if the view names some. */
async function tagNames({ filter }: SavedView, path: TeamPath): Promise<ReadonlyMap<string, string>> {
  if (!filter.tag?.length) return new Map();
  const projects = await readTeamProjects(path);
  const tags = await Promise.all(projects.map(({ id }) => readTags(id).catch(() => [])));
  return new Map(tags.flat().map(({ id, name }) => [id, name]));
}

export default function ViewPage({ parameters: { view = "" } }: PageProps) {
  return (
    <PageState read={() => openView(view)} keys={[view]}>
      {(opened) => ("address" in opened ? <Leads to={opened.address} /> : <Cards {...opened} />)}
    </PageState>
  );
}

function Leads({ to }: { to: string }) {
  useEffect(() => open(to, { replace: true }), [to]);
  return null;
}

function Cards({ view, cards, hasMore }: { view: SavedView; cards: IndexCard[]; hasMore: boolean }) {
  usePlace({ title: view.name, crumbs: [{ name: text.views.title, href: "/views" }, { name: view.name }],
    navigation: [] }, [view]);
  return (
    <div class="page">
      <div class="heading"><h1 dir="auto">{view.name}</h1></div>
      {cards.length === 0 && <Empty icon="table"><p>{text.cards.noMatch}</p></Empty>}
      <ul class="rows">
        {cards.map((card) => (
          <li key={card.id}>
            <a class="row" href={`/projects/${card.project_id}/cards/${card.key ?? card.id}`}>
              <PriorityMark priority={card.priority} />
              <CardTitle of={card.key} name={card.name} />
              <span class="soft">{card.is_open ? text.cards.open : text.cards.closed}</span>
              <span />
              <span class="soft">{card.deadline && <Day iso={card.deadline} />}</span>
            </a>
          </li>
        ))}
      </ul>
      {hasMore && <p class="soft">{text.views.more}</p>}
    </div>
  );
}
