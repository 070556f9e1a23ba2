// The props of every page.

export interface PageProps {
  /** The named parts of the path. */
  parameters: Record<string, string>;
}
