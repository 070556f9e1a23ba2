// The shape of a file in space. It stays while the person goes from part to part of the file: what is selected in the
// tree is selected in the view, and the other way round.

import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { readPreview, readStl, type Preview, type PreviewShape } from "../../../api/content/previews";
import { tellFailure } from "../../../model/messages";
import { OpenShape } from "../../../model/content/open-shape";
import { partsOf, shapeFacts, type ShapeRef } from "../../../model/content/shapes";
import { thumbnails } from "../../../model/content/thumbnails";
import { text } from "../../../text";
import { BusyButton } from "../../../ui/busy-button";
import { Button } from "../../../ui/button";
import { useLoaded } from "../../../ui/loaded";
import { Picture } from "../../../ui/picture";
import { saveBlob } from "../../../ui/save";
import { Measures } from "./measures";
import { offerPicture } from "./picture-offer";
import type { FilesView } from "./view";

interface ShapePlaceProps {
  /** It stays the same as long as the component does. */
  shape: ShapeRef;
  view: FilesView;
}

interface OpenProps extends ShapePlaceProps {
  open: OpenShape;
}

export function ShapePlace({ shape, view }: ShapePlaceProps) {
  const open = useMemo(() => new OpenShape(view.files.place, shape, view.previews), []);
  useEffect(() => {
    void open.open();
    return () => open.close();
  }, []);
  const [preview, failure] = [open.preview.value, open.failure.value];
  const { tree } = view.files;
  if (open.isAbsent.value) {
    const isFile = tree.byId.value.get(shape.owner)?.type === "File" && tree.selected.value === shape.owner;
    return isFile ? <p class="soft">{text.files.noPreview}</p> : null;
  }
  if (failure !== null && !preview?.shape) {
    return <p class="conversion failed" role="alert">{text.shape.failed(failure)} <Again open={open} /></p>;
  }
  if (preview?.status === "none") return <p class="soft">{text.shape.none}</p>;
  if (preview?.status === "failed" && !preview.shape) {
    return (
      <div class="shape">
        <p class="conversion failed" role="status">{text.shape.failed(preview.reason ?? "")}</p>
        <Still open={open} shape={shape} view={view} name="" />
      </div>
    );
  }
  return (
    <div class="shape">
      <Shape open={open} shape={shape} view={view} />
      {preview?.shape && <Line open={open} preview={preview} shape={preview.shape} file={shape} view={view} />}
      {preview?.shape && <Measures place={view.files.place} id={tree.selected.value ?? shape.owner} owner={shape.owner}
        preview={preview} shape={preview.shape} read={readPreview} />}
    </div>
  );
}

const Again = ({ open }: { open: OpenShape }) => (
  <Button name={text.errors.again} kind="plain small" onClick={() => open.open()} />
);

/** The view once it is loaded and the shape begins to be there, and the thumbnail until then. */
function Shape(props: OpenProps) {
  const { open, shape, view } = props;
  const viewer = useLoaded(() => import("../../parts/viewer/viewer"), []).state.value;
  // Three takes longest to load.
  useEffect(() => { import("../../../ui/viewer/viewer").catch(() => {}); }, []);
  const name = view.files.nameOf(shape.owner);
  const preview = open.preview.value;
  const still = <Still {...props} name={name} />;
  if (preview?.shape && viewer.state === "there") {
    const { objects } = preview.shape;
    return <Space key={objects.length} {...props} found={preview.shape} Viewer={viewer.value.Viewer}>{still}</Space>;
  }
  return (
    <div class="viewer">
      <div class="viewer-tools" />
      <div class="viewer-stage"><div class="viewer-instead">
        {still}
        <p class="soft loading" role="status">
          {preview?.status === "making" && !preview.shape ? text.shape.making : text.loading}
        </p>
      </div></div>
    </div>
  );
}

interface SpaceProps extends OpenProps {
  found: PreviewShape;
  Viewer: typeof import("../../parts/viewer/viewer").Viewer;
  children: ComponentChildren;
}

function Space({ open, shape: { owner }, view, found, Viewer, children }: SpaceProps) {
  const { files, choose, links } = view;
  const parts = useMemo(() => partsOf(found, files.tree.byId.peek()), []);
  // The file's own object is everything: nothing stands out.
  const selected = useComputed(() => (files.tree.selected.value === owner ? null : files.tree.selected.value));
  const name = files.nameOf(owner);
  const select = (id: string | null) => {
    const wanted = id || owner;
    if (wanted !== files.tree.selected.peek()) choose(wanted, "view");
  };
  const offer = (blob: Blob, address: string) => {
    const object = files.tree.selected.peek() ?? owner;
    offerPicture({ blob, address, name: files.nameOf(object), object, project: files.opened.project.id, links });
  };
  return (
    <Viewer name={name} shape={open.glb.value} objects={parts} unit={found.unit ?? ""} selected={selected}
      onSelect={select} onPicture={offer}>{children}</Viewer>
  );
}

/** The picture that stands in for the shape. The small one of the tree's row is there at once. */
function Still({ open, shape: { owner, sha256 }, view, name }: OpenProps & { name: string }) {
  const blob = open.thumbnail.value;
  const alt = name && text.shape.pictureOf(name);
  if (blob) return <Picture blob={blob} type="image/png" name={alt} />;
  const small = thumbnails.known({ place: view.files.place, id: owner, sha256 });
  return small ? <img class="picture" src={small} alt={alt} /> : null;
}

interface LineProps {
  open: OpenShape;
  preview: Preview;
  shape: PreviewShape;
  file: ShapeRef;
  view: FilesView;
}

/** Facts of the shape, and what is still to come or lacks. */
function Line({ open, preview, shape, file: { owner, sha256 }, view: { files } }: LineProps) {
  const failure = open.failure.value;
  const node = files.nodeOf(owner);
  const isStl = /^\.stl$/i.test(node?.file?.extension ?? "");
  const save = () => readStl(files.place, owner, sha256)
    .then((blob) => saveBlob(blob, `${node?.name ?? owner}.stl`), tellFailure);
  return (
    <div class="shape-line">
      <p class="soft">{shapeFacts(shape)}</p>
      <p class="soft" role="status">
        {failure !== null ? <>{text.shape.partial(failure)} <Again open={open} /></>
          : preview.status === "making" ? text.shape.improving
          : preview.status === "failed" ? text.shape.partial(preview.reason ?? "") : ""}
      </p>
      {preview.status === "ready" && !isStl
        && <BusyButton name={text.shape.stl} icon="download" kind="plain small" run={save} />}
    </div>
  );
}
