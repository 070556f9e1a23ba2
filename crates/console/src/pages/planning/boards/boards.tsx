// All boards of the caller, by their organizations, last changed first.

import { readProjects, type Organization, type Team } from "../../../api/places";
import { mayMakeTeams, readAllTeams } from "../../../model/people/account";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import { Time } from "../../../ui/time";
import { askNewBoard } from "../../parts/new-board";
import { PageState } from "../../parts/page-state";

const PROJECTS = 100;

export default function BoardsPage() {
  usePlace({ title: text.frame.boards, crumbs: [{ name: text.frame.boards }], navigation: [] }, []);
  return (
    <PageState read={readAllTeams} keys={[]}>
      {({ organizations, teams }) => <Boards organizations={organizations} teams={teams} />}
    </PageState>
  );
}

interface BoardsProps {
  organizations: readonly Organization[];
  teams: readonly Team[];
}

function Boards({ organizations, teams }: BoardsProps) {
  const create = () => readProjects({ limit: PROJECTS })
    .then(({ projects }) => askNewBoard(organizations, projects)).catch(tellFailure);
  useActions(() => [{ name: text.board.newTeam, icon: "plus", group: text.frame.boards, run: create }]);
  const button = <Button name={text.board.newTeam} icon="plus" kind="primary" onClick={create} />;
  return (
    <div class="page">
      <div class="heading">
        <h1>{text.frame.boards}</h1>
        {teams.length > 0 && button}
      </div>
      {teams.length > 0 ? <BoardList organizations={organizations} teams={teams} /> : (
        <Empty icon="board">
          <p>{text.board.emptyList}</p>
          {!organizations.some(mayMakeTeams) && <p>{text.board.ownOrganization}</p>}
          {button}
        </Empty>
      )}
    </div>
  );
}

/** The boards with a heading for each organization that has some; of one organization alone without it. */
function BoardList({ organizations, teams }: BoardsProps) {
  const owners = organizations.filter(({ id }) => teams.some((team) => team.organization_id === id));
  return (
    <>
      {owners.map(({ id, name }) => (
        <section key={id} aria-labelledby={`org-${id}`}>
          <h2 id={`org-${id}`} dir="auto">{name}</h2>
          <ul class="rows">
            {teams.filter((team) => team.organization_id === id)
              .toSorted((one, other) => other.updated_at.localeCompare(one.updated_at))
              .map((team) => <BoardRow key={team.id} team={team} />)}
          </ul>
        </section>
      ))}
    </>
  );
}

function BoardRow({ team }: { team: Team }) {
  return (
    <li>
      <a class="row" href={`/orgs/${team.organization_id}/teams/${team.id}`}>
        <Icon name="board" />
        <span class="name" dir="auto">{team.name}</span>
        <span />
        <span />
        <span class="soft"><Time iso={team.updated_at} /></span>
      </a>
    </li>
  );
}
