// Size, area, volume and centre of what is selected: of the whole file, or of a part of it.

import type { Preview, PreviewShape } from "../../../api/content/previews";
import { measureRows } from "../../../model/content/measures";
import { text } from "../../../text";
import { useLoaded } from "../../../ui/loaded";

interface MeasuresProps {
  place: string;
  /** The selected object. */
  id: string;
  owner: string;
  preview: Preview;
  shape: PreviewShape;
  read: (place: string, id: string) => Promise<{ value: Preview | null } | null>;
}

export function Measures({ place, id, owner, preview: { status }, shape, read }: MeasuresProps) {
  // The measures of parts come with the faces.
  const isAsked = id !== owner && status !== "making";
  const loaded = useLoaded(() => (isAsked ? read(place, id) : Promise.resolve(null)), [id, isAsked]).state.value;
  const ofPart = loaded.state === "there" ? loaded.value?.value?.shape?.part : undefined;
  const rows = measureRows((id === owner ? shape : ofPart) ?? {}, shape.unit ?? "");
  if (rows.length === 0) return null;
  return (
    <dl class="facts" aria-label={text.measures.title}>
      {rows.map(({ name, value }) => <Row key={name} name={name} value={value} />)}
    </dl>
  );
}

const Row = ({ name, value }: { name: string; value: string }) => <><dt>{name}</dt><dd>{value}</dd></>;
