// Projects and boards with their last activity.

import type { Project, Team } from "../../api/places";
import type { Home } from "../../model/home";
import { tellFailure } from "../../model/messages";
import { text } from "../../text";
import { search, setParameters } from "../../ui/address";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Time } from "../../ui/time";
import { askBoard } from "./create";

export function Projects({ home }: { home: Home }) {
  const projects = home.projects.value;
  const q = search.value.get("q") ?? "";
  // The beginning and the end of a search are steps of the way back.
  const find = (typed: string) => setParameters({ q: typed || null }, { push: !q || !typed });
  return (
    <section aria-labelledby="projects" class="home-projects">
      <div class="heading">
        <h2 id="projects">{text.projects.title}</h2>
        <label class="search"><Icon name="search" />
          <input type="search" value={q} aria-label={text.projects.search} placeholder={text.projects.search}
            onInput={(event) => find(event.currentTarget.value.trim())} /></label>
      </div>
      <ul class="rows">{projects.map((project) => (
        <ProjectRow key={project.id} project={project} owner={home.ownerOf(project)} />
      ))}</ul>
      {projects.length === 0 && <p class="soft">{text.projects.none}</p>}
      {home.next.value && <Button name={text.projects.more} onClick={() => home.more().catch(tellFailure)} />}
    </section>
  );
}

function ProjectRow({ project: { id, name, visibility, updatedAt }, owner }: { project: Project; owner: string }) {
  return (
    <li>
      <a class="row" href={`/projects/${id}`}>
        <Icon name="files" />
        <span class="name" dir="auto">{name}</span>
        <span class="soft" dir="auto">{owner}</span>
        <span class="soft">{(text.projects.visibility as Record<string, string>)[visibility]}</span>
        <span class="soft"><Time iso={updatedAt} /></span>
      </a>
    </li>
  );
}

export function Boards({ home }: { home: Home }) {
  const boards = home.boards.value;
  return (
    <section aria-labelledby="boards" class="home-boards">
      <div class="heading">
        <h2 id="boards">{text.frame.boards}</h2>
        <Button name={text.board.newTeam} icon="plus" onClick={() => askBoard(home)} />
      </div>
      {boards.length === 0 && <p class="soft">{text.board.emptyList}</p>}
      <ul class="rows">{boards.map((team) => <BoardRow key={team.id} team={team} home={home} />)}</ul>
    </section>
  );
}

function BoardRow({ team, home }: { team: Team; home: Home }) {
  const { id, name, organization_id: org } = team;
  return (
    <li>
      <a class="row" href={`/orgs/${org}/teams/${id}`}>
        <Icon name="board" />
        <span class="name" dir="auto">{name}</span>
        <span class="soft" dir="auto">{home.organizations.find((one) => one.id === org)?.name}</span>
        <span />
        <span class="soft"><Time iso={home.lastOf(team)} /></span>
      </a>
    </li>
  );
}
