// The content of an object: its picture, its text, or the reason why it has no view.

import { download } from "../../../api/content/downloads";
import type { FileRef, ProjectObject } from "../../../api/content/objects";
import { sheetOf } from "../../../model/content/csv";
import { importOf } from "../../../model/content/imports";
import { isPicture, isText, wordsOf } from "../../../model/content/media";
import { ownsShape } from "../../../model/content/shape-kinds";
import { text } from "../../../text";
import { languageOf } from "../../../ui/code-languages";
import { Picture } from "../../../ui/picture";
import { Code } from "../../parts/code";
import { LateMarkdown } from "../../parts/late-markdown";
import { Read } from "../../parts/read";
import { SheetView } from "./sheet";

const PREVIEW_BYTES = 20_000_000;
/** Longer Markdown is shown as it is written, because all of it would be in the page. */
const PROSE_CHARACTERS = 200_000;
/** Longer tables are shown as text, of which only what is seen is drawn. */
const SHEET_CHARACTERS = 2_000_000;
const SHEET = /^\.(csv|tsv)$/i;
const MARKDOWN = /^\.(md|markdown)$/i;

interface ContentProps {
  place: string;
  object: ProjectObject;
}

export function Content({ place, object }: ContentProps) {
  const { file, data, name } = object;
  const language = codeLanguage(object, name.split(".").at(-1) ?? "");
  if (!file && typeof data.text !== "string") return null;
  return (
    <div class="content">
      <ImportNote object={object} />
      {file ? <FileContent place={place} object={object} file={file} />
        : <Code content={String(data.text)} language={language} />}
    </div>
  );
}

const codeLanguage = ({ data }: ProjectObject, extension: string) =>
  languageOf(String(data.language ?? "")) || languageOf(extension);

/** Why a file was not read, or not as a whole, if the service says so. */
function ImportNote({ object }: { object: ProjectObject }) {
  const found = importOf(object);
  if (!found) return null;
  const said = { failed: text.files.unread, partial: text.files.readInPart, pending: () => text.files.isRead };
  return <p class={`conversion ${found.status}`}>{said[found.status](found.reason)}</p>;
}

function FileContent({ place, object, file }: ContentProps & { file: FileRef }) {
  if (file.size === 0) return <p class="soft">{text.files.isEmpty}</p>;
  // Its shape is shown, not its text.
  if (ownsShape(object)) return null;
  const isShown = (isPicture(file.mimeType) || isText(file)) && file.size <= PREVIEW_BYTES;
  if (isShown) return <Preview place={place} object={object} file={file} />;
  const isElsewhere = object.type === "Document" || object.type === "Assembly" || object.type === "Part";
  return isElsewhere ? null : <p class="soft">{text.files.noPreview}</p>;
}

function Preview({ place, object, file }: ContentProps & { file: FileRef }) {
  const read = async () => {
    const blob = await download(place, object.id, file.extension);
    return { blob, words: isPicture(file.mimeType) ? null : await wordsOf(blob, object.data.encoding) };
  };
  return (
    <Read read={read} keys={[file.sha256]}>
      {({ blob, words }) => (words === null ? <Picture blob={blob} type={file.mimeType} name={object.name} />
        : <Words object={object} file={file} content={words} />)}
    </Read>
  );
}

/**
 * The words of a file, or the newer ones of an object of code, whose text was changed since. The text of a notebook
 * isn't that of its file.
 */
function Words({ object, file, content }: { object: ProjectObject; file: FileRef; content: string }) {
  const { data } = object;
  const isNewer = typeof data.text === "string" && data.text !== content && !data.notebook && !data.conversion;
  const shown = isNewer ? String(data.text) : content;
  const extension = file.extension ?? "";
  const sheet = SHEET.test(extension) && shown.length <= SHEET_CHARACTERS ? sheetOf(shown) : null;
  const isProse = MARKDOWN.test(extension) && shown.length <= PROSE_CHARACTERS;
  return (
    <>
      {isNewer && <p class="soft older">{text.files.isOlder}</p>}
      {sheet ? <SheetView sheet={sheet} source={shown} name={object.name} />
        : isProse ? <LateMarkdown source={shown} />
          : <Code content={shown} language={codeLanguage(object, extension)} />}
    </>
  );
}
