// A merge of a branch: its outcome is computed first, conflicts are decided, and then it is done.

import { batch, signal } from "@preact/signals";
import { ApiError, reasonOf } from "../../api/errors";
import { newKey } from "../../api/persist";
import { readBranches, type Branch } from "../../api/content/projects";
import { merge, type MergeReport } from "../../api/content/versions";
import { Compared } from "./comparison";
import { conflictsOf, Decision } from "./conflicts";
import { isEqual } from "../equal";
import { placeOf, type OpenedProject } from "./project";

export const mergeApi = { merge, branches: readBranches, compare: Compared.open };
export type MergeApi = typeof mergeApi;

export class Merge {
  readonly opened: OpenedProject;
  readonly source: string;
  readonly into: string;
  /** The merge that the service has computed, if it merges without a conflict. */
  readonly outcome = signal<MergeReport["status"] | null>(null);
  readonly decision = signal<Decision | null>(null);
  readonly failure = signal("");
  /** The branch that is merged into has uncommitted changes, which refuse it. */
  readonly hasChanges = signal(false);
  readonly incoming = signal<{ compared: Compared; hasCommon: boolean } | null>(null);
  readonly isSending = signal(false);
  readonly #api: MergeApi;
  #state: readonly (Branch | undefined)[];
  #expectedHead = "";
  #key = newKey();

  constructor(opened: OpenedProject, source: string, into: string, api: MergeApi = mergeApi) {
    this.opened = opened;
    this.source = source;
    this.into = into;
    this.#api = api;
    this.#state = this.#stateOf(opened.branches);
  }

  get isSame(): boolean {
    return this.source === this.into;
  }

  /** Computes the outcome, and reads what comes in. */
  async tryOut(): Promise<void> {
    if (this.isSame) return;
    try {
      const found = await this.#api.merge(this.opened.project.id, this.into, { source: this.source, dryRun: true });
      this.#expectedHead = found.previousHash;
      batch(() => {
        [this.failure.value, this.hasChanges.value, this.decision.value] = ["", false, null];
        this.outcome.value = found.status;
      });
    } catch (error) {
      this.outcome.value = null;
      await this.#refused(error);
    }
    const comes = this.decision.value !== null || (this.outcome.value !== null && this.outcome.value !== "upToDate");
    this.incoming.value = comes ? await this.#compare() : null;
  }

  /** Merges; returns the commit, or null if it was refused. */
  async send(): Promise<string | null> {
    [this.isSending.value, this.failure.value] = [true, ""];
    const resolutions = this.decision.value?.resolutions.value ?? [];
    const head = this.#expectedHead ? { expectedHead: this.#expectedHead } : {};
    try {
      const wish = { source: this.source, resolutions, ...head };
      return (await this.#api.merge(this.opened.project.id, this.into, wish, this.#key)).commitHash;
    } catch (error) {
      this.#key = newKey();
      await this.#refused(error);
      return null;
    } finally {
      this.isSending.value = false;
    }
  }

  /**
   * Computes the outcome again if one of the branches has moved. What was decided stays; a merge of what has changed
   * since is refused with the new conflicts.
   */
  async readAgain(): Promise<void> {
    const now = this.#stateOf(await this.#api.branches(this.opened.project.id));
    if (isEqual(now, this.#state) || (this.decision.value?.resolutions.value.length ?? 0) > 0) return;
    this.#state = now;
    await this.tryOut();
  }

  async #refused(error: unknown): Promise<void> {
    const conflicts = conflictsOf(error);
    if (conflicts) {
      this.decision.value = new Decision(conflicts);
      return;
    }
    const isBranch = error instanceof ApiError && error.code === "BRANCH_CONFLICT";
    const branches = isBranch ? await this.#api.branches(this.opened.project.id) : [];
    batch(() => {
      [this.decision.value, this.failure.value] = [null, reasonOf(error)];
      this.hasChanges.value = branches.find(({ name }) => name === this.into)?.hasChanges ?? false;
    });
  }

  async #compare(): Promise<{ compared: Compared; hasCommon: boolean }> {
    const { project } = this.opened;
    const places = [placeOf(project, this.source), placeOf(project, this.into)];
    const sides = { base: this.into, head: this.source };
    try {
      const compared = await this.#api.compare(project.id, { ...sides, mergeBase: true }, { places });
      return { compared, hasCommon: true };
    } catch (error) {
      if (!(error instanceof ApiError) || error.isPassing) throw error;
      return { compared: await this.#api.compare(project.id, sides, { places }), hasCommon: false };
    }
  }

  #stateOf(branches: readonly Branch[]): (Branch | undefined)[] {
    return [this.source, this.into].map((name) => branches.find((one) => one.name === name));
  }
}
