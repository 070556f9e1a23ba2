// Markdown, whose parser is loaded where it is shown.

import { text } from "../../text";
import { useLoaded } from "../../ui/loaded";

export function LateMarkdown({ source, under }: { source: string; under?: number }) {
  const loaded = useLoaded(() => import("../../ui/markdown"), []).state.value;
  if (loaded.state !== "there") return <p class="soft loading">{text.loading}</p>;
  const { Markdown } = loaded.value;
  return <Markdown source={source} {...(under === undefined ? {} : { under })} />;
}
