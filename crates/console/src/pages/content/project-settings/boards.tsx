// The teams that plan a project's cards.

import type { ProjectSettings } from "../../../model/content/project-settings";
import { text } from "../../../text";

export function Boards({ settings }: { settings: ProjectSettings }) {
  const teams = settings.teams.value;
  return (
    <section aria-labelledby="linked">
      <h2 id="linked">{text.settings.boards}</h2>
      <p class="lead">{text.settings.boardsHelp}</p>
      {teams.length === 0 ? <p class="soft">{text.settings.noTeams}</p> : (
        <ul class="form">
          {teams.map(({ team, isOn }) => (
            <li key={team.id}>
              <label class="check">
                <input type="checkbox" checked={isOn}
                  onChange={(event) => void settings.link(team, event.currentTarget.checked)} />
                <span dir="auto">{team.name}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
      {settings.role.value !== "viewer" && (
        <p><a href={`/projects/${settings.project.value.id}/cards/import`}>{text.imports.other}</a></p>
      )}
    </section>
  );
}
