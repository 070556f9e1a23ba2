// Shapes and pictures of objects, made by the data plane. The types are those of its document, written by hand until
// they are generated.

import { type DownloadGrant, downloadGrants } from "./downloads";
import { refusalOf } from "../errors";

/** Measures of a shape or of a part. Those that may be off by more than 1 % are absent. */
export interface ShapeMeasures {
  box?: { min: readonly number[]; max: readonly number[] };
  area?: number;
  volume?: number;
  /** Centre of the volume. */
  centre?: readonly number[];
}

/** Facts of a shape. Lengths are in its unit. */
export interface PreviewShape extends ShapeMeasures {
  /** Size of the GLB, 0 before it is there. It changes when faces follow edges. */
  sizeBytes: number;
  /** Absent if the file gives none. */
  unit?: string;
  /** Faces of the design that the GLB has; absent for meshes. */
  faces?: { shown: number; all: number };
  triangles: number;
  /** Measures of the part that was asked for, along its own axes. */
  part?: ShapeMeasures;
  /** Ids of objects by the numbers that the GLB has for them; null if an object was deleted. */
  objects: readonly (string | null)[];
}

export interface Preview {
  /** Hash of the file. */
  sha256?: string;
  /** `none`: the file holds no shape. */
  status: "ready" | "making" | "failed" | "none";
  /** Why it failed, as a sentence for people. */
  reason?: string;
  shape?: PreviewShape;
}

/** A value as far as it is made; with a time, more can be read after it. An object without a picture has neither. */
export interface Made<Value> {
  value: Value | null;
  againMs?: number;
}

/** A thumbnail's edge in pixels. */
export type ThumbnailPx = 256 | 1024;

type Kind = "preview" | "thumbnail" | "derived/glb" | "derived/stl";
type Query = Record<string, string | number | undefined>;

const AGAIN_MS = 1000;
/** Longest time between two questions. */
const LONGEST_MS = 30_000;
/** The service is busy, or still makes what was asked for. */
const LATER = new Set([429, 503]);

type Addresses = Pick<DownloadGrant, "previewUrl" | "thumbnailUrl" | "derivedUrl">;

/** The address of something that is made of an object. */
export function previewAddress(grant: Addresses, objectId: string, kind: Kind, query: Query = {}): string {
  const { previewUrl: preview, thumbnailUrl: thumbnail, derivedUrl } = grant;
  const derived = (format: string) => derivedUrl.replace("{format}", format);
  const template = { preview, thumbnail, "derived/glb": derived("glb"), "derived/stl": derived("stl") }[kind];
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, String(value));
  const asked = parameters.size > 0 ? `?${parameters.toString()}` : "";
  return template.replace("{objectId}", encodeURIComponent(objectId)) + asked;
}

const read = (place: string, objectId: string, kind: Kind, query: Query, signal?: AbortSignal) =>
  downloadGrants.read(place, (grant) => previewAddress(grant, objectId, kind, query), signal);

/** The facts of an object's shape that are known, now or at a commit. Null if there is no such object. */
export async function readPreview(place: string, objectId: string, signal?: AbortSignal, commit?: string):
  Promise<Made<Preview> | null> {
  const got = await read(place, objectId, "preview", { commit }, signal);
  if (got.status === 404) return null;
  if (LATER.has(got.status)) return { value: null, againMs: againOf(got) };
  if (!got.ok) throw await refusalOf(got);
  const value = await got.json() as Preview;
  return value.status === "making" ? { value, againMs: againOf(got) } : { value };
}

/** The GLB of an object that owns a file. With the hash of the file the browser may keep it. */
export async function readGlb(place: string, objectId: string, sha256: string, signal?: AbortSignal, commit?: string) {
  return (await derived(place, objectId, "derived/glb", { sha256, commit }, signal)).arrayBuffer();
}

/** The binary STL of an object that owns a file. */
export async function readStl(place: string, objectId: string, sha256: string): Promise<Blob> {
  return (await derived(place, objectId, "derived/stl", { sha256 })).blob();
}

async function derived(place: string, objectId: string, kind: Kind, query: Query, signal?: AbortSignal) {
  const got = await read(place, objectId, kind, query, signal);
  if (!got.ok) throw await refusalOf(got);
  return got;
}

/** The picture of an object, with a transparent ground. With the hash of its file the browser may keep it. */
export async function readThumbnail(place: string, objectId: string, size: ThumbnailPx, sha256?: string,
  signal?: AbortSignal): Promise<Made<Blob>> {
  return await pictureIn(await read(place, objectId, "thumbnail", { size, sha256 }, signal));
}

/** The picture in an answer; none, or none yet. */
export async function pictureIn(got: Response): Promise<Made<Blob>> {
  if (got.status === 404) return { value: null };
  if (LATER.has(got.status)) return { value: null, againMs: againOf(got) };
  if (!got.ok) throw await refusalOf(got);
  return { value: await got.blob() };
}

function againOf({ headers }: Response): number {
  return Math.min(Number(headers.get("Retry-After")) * 1000 || AGAIN_MS, LONGEST_MS);
}

/** All requests of views of shapes, which tests replace. */
export const previewsApi = { preview: readPreview, glb: readGlb, thumbnail: readThumbnail };
export type PreviewsApi = typeof previewsApi;

/** The same requests for objects as a commit has them, without pictures. */
export const previewsAt = (commit: string): PreviewsApi => ({
  preview: (place, objectId, end) => readPreview(place, objectId, end, commit),
  glb: (place, objectId, sha256, end) => readGlb(place, objectId, sha256, end, commit),
  thumbnail: () => Promise.resolve({ value: null }),
});
