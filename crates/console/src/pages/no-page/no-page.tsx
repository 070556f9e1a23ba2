// An address of the console without a page, and the ways on from it.

import { isSignedIn } from "../../api/session";
import { text } from "../../text";
import { actions } from "../../ui/actions";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/empty";
import { usePlace } from "../../ui/place";

export default function NoPage() {
  usePlace({ title: text.errors.noPage, crumbs: [], navigation: [] }, []);
  const search = () => actions().find(({ key }) => key === "/")?.run?.();
  return (
    <Empty icon="search" title={text.errors.noPage}>
      <p>{text.errors.noPageSays}</p>
      <div class="actions">
        {isSignedIn.value ? <>
          <a class="button primary" href="/projects">{text.errors.home}</a>
          <a class="button" href="/boards">{text.frame.boards}</a>
          <Button name={text.palette.search} icon="search" onClick={search} />
        </> : <a class="button primary" href="/sign-in">{text.signIn.withIssuer}</a>}
      </div>
    </Empty>
  );
}
