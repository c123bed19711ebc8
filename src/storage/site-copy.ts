/** A hidden copy of a site's files under another site, which is kept equal to them until it takes their place. */
import type { EventStore, SiteCopies } from "./event-store.ts";
import type { CopiedFile, FileOfDay, PartitionFile } from "./partitions.ts";

interface SiteCopyOptions {
  readonly eventStore: Pick<EventStore, "filesOf" | "copyFile" | "deleteHidden">;
  readonly sites: SiteCopies;
  /** The numbers of the copy of a file. */
  readonly numbersOf: (file: PartitionFile) => FileOfDay;
  /** Copies that an earlier process has made, under the numbers of their originals. */
  readonly made?: readonly PartitionFile[];
}

/** A file of these numbers always has the same events. */
const idOf = ({ day, first, last }: FileOfDay): string => `${day}/${first}-${last}`;

export class SiteCopy {
  readonly #options: SiteCopyOptions;
  /** Keyed by the id of their originals. */
  readonly #copies: Map<string, CopiedFile>;

  constructor(options: SiteCopyOptions) {
    this.#options = options;
    this.#copies = new Map((options.made ?? []).map((file) => [idOf(file), { file, events: 0 }]));
  }

  get sites(): SiteCopies {
    return this.#options.sites;
  }

  /** The copies that this process has made have these events. */
  get copies(): readonly CopiedFile[] {
    return [...this.#copies.values()];
  }

  /** Deletes copies whose originals are gone, and copies files that have no copy. Returns how many. `beforeEach` may reject. */
  async update(beforeEach: () => Promise<void>): Promise<number> {
    const { eventStore, sites, numbersOf } = this.#options;
    const files = await eventStore.filesOf(sites.from, sites.which);
    const ids = new Set(files.map(idOf));
    const outdated = [...this.#copies].filter(([id]) => !ids.has(id));
    // First, because a copy must not lie beside those of its parts.
    await eventStore.deleteHidden(
      sites.to,
      outdated.map(([, { file }]) => file),
    );
    for (const [id] of outdated) this.#copies.delete(id);
    let copied = 0;
    for (const file of files) {
      if (this.#copies.has(idOf(file))) continue;
      await beforeEach();
      const copy = await eventStore.copyFile(file, sites.from, sites.to, numbersOf(file));
      // One that is gone was merged into another, or erased.
      if (copy === null) continue;
      this.#copies.set(idOf(file), copy);
      copied++;
    }
    return copied;
  }

  /** True if these files, and no others, have a copy. */
  isOf(files: readonly PartitionFile[]): boolean {
    return files.length === this.#copies.size && files.every((file) => this.#copies.has(idOf(file)));
  }
}
