// What a page is given.

export interface PageProps {
  /** The named parts of the path. */
  parameters: Record<string, string>;
}
