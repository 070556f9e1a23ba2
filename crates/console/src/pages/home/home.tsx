// Home: a person's cards, what they touched last, and all projects and boards.

import { useEffect, useRef } from "preact/hooks";
import { Home } from "../../model/home";
import { tellFailure } from "../../model/messages";
import { text } from "../../text";
import { useActions } from "../../ui/actions";
import { search } from "../../ui/address";
import { Button } from "../../ui/button";
import { usePlace } from "../../ui/place";
import { PageState } from "../parts/page-state";
import { useRowKeys } from "../parts/row-keys";
import { Begin } from "./begin";
import { OwnCards } from "./cards";
import { askBoard, askProject } from "./create";
import { Boards, Projects } from "./lists";
import { Mentioned, Questions } from "./mentioned";
import { Recent } from "./recent";

export default function HomePage() {
  usePlace({ title: text.home.title, crumbs: [{ name: text.home.title }], navigation: [] }, []);
  return (
    <PageState read={() => Home.open(search.peek().get("q") ?? "")} keys={[]}>
      {(home) => (home.isNew ? <FirstHome home={home} /> : <Places home={home} />)}
    </PageState>
  );
}

function FirstHome({ home }: { home: Home }) {
  return (
    <div>
      <Begin home={home} />
      {home.boards.value.length > 0 && <div class="page"><Boards home={home} /></div>}
    </div>
  );
}

function Places({ home }: { home: Home }) {
  const q = search.value.get("q") ?? "";
  useEffect(() => { if (q !== home.query.peek()) home.find(q).catch(tellFailure); }, [q]);
  const group = text.home.title;
  useActions(() => [
    { name: text.projects.create, icon: "plus", group, run: () => askProject(home) },
    { name: text.board.newTeam, icon: "board", group, run: () => askBoard(home) },
  ]);
  const page = useRef<HTMLDivElement>(null);
  useRowKeys(page, "a.row", group);
  return (
    <div ref={page} class="page home">
      <div class="heading">
        <h1>{text.home.title}</h1>
        <Button name={text.projects.create} icon="plus" kind="primary" onClick={() => askProject(home)} />
      </div>
      {!q && <Questions home={home} />}
      {!q && <OwnCards home={home} />}
      {!q && <Mentioned home={home} />}
      {!q && <Recent home={home} />}
      <Projects home={home} />
      <Boards home={home} />
    </div>
  );
}
