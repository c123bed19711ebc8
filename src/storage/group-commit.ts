/** Group commit: events that arrive while one append is under way share the next one. */
import type { BufferedEvent } from "./event-text.ts";

/** The maximum number of events per write; the rest of a burst is written next. */
const GROUP_EVENTS_MAX = 1000;

/** Events at which a group stops gathering, because appends are almost instant then. */
const GATHERED_EVENTS_MAX = 8;

interface Waiting {
  readonly event: BufferedEvent;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export interface GroupCommitOptions {
  /** Appends a group. Calls do not overlap. */
  readonly write: (group: readonly BufferedEvent[]) => Promise<void>;
  /** See `SegmentLog`. */
  readonly gather: (() => Promise<void>) | undefined;
}

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  /** Set while events wait, gather or are being appended. */
  #writing: Promise<void> | null = null;
  #groupDone: Promise<void> = Promise.resolve();
  /** Ends the gathering of a group. */
  #gathered: () => void = () => {};

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Characters of the events that wait for their append. */
  get waitingChars(): number {
    return this.#waitingChars;
  }

  /** Resolves when the event's group is appended; rejects with the error of its append. */
  add(event: BufferedEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waitingChars += event.text.length;
      this.#waiting.push({ event, resolve, reject });
      if (!this.#writing) this.#writing = this.#writeGroups();
      else if (this.#waiting.length >= GATHERED_EVENTS_MAX) this.#gathered();
    });
  }

  /** Resolves when the group that is being appended now is done. */
  groupDone(): Promise<void> {
    return this.#groupDone;
  }

  /** Resolves when no event waits. */
  async settled(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #writeGroups(): Promise<void> {
    while (this.#waiting.length > 0) {
      const gathering = this.#gather();
      if (gathering) await gathering;
      this.#groupDone = this.#writeGroup(this.#waiting.splice(0, GROUP_EVENTS_MAX));
      await this.#groupDone;
    }
    this.#writing = null;
  }

  /**
   * Lets concurrent events join the group, for a short time: an acknowledged client sends its next event while the server handles
   * other requests. If all were acknowledged together, clients and server would wait for each other in turn.
   */
  #gather(): Promise<void> | null {
    const { gather } = this.#options;
    if (!gather || this.#waiting.length >= GATHERED_EVENTS_MAX) return null;
    return new Promise((resolve) => {
      this.#gathered = resolve;
      void gather().then(resolve);
    });
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#options.write(group.map(({ event }) => event));
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    } finally {
      for (const { event } of group) this.#waitingChars -= event.text.length;
    }
    for (const { resolve } of group) resolve();
  }
}
