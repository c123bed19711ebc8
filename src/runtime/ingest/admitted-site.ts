/**
 * The admission of the one site of an instance: another instance knows the sites and their bound, and is asked before the first event
 * after a start. It in turn may ask whether the site has events (`hasEvents`). If not, the next event asks again.
 */
import type { SiteId, LocalDate } from "../../storage/event.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import type { SiteAdmission } from "./site-admission.ts";

export interface AdmittedSiteOptions {
  readonly siteId: SiteId;
  /** See `SiteRegistry`. */
  readonly registry: { admit(): Promise<void>; announce(): Promise<void> };
  /** The days on which the site has events, in files or in the journal. */
  readonly days: () => Promise<readonly LocalDate[]>;
  /** True if the site has an event in the journal now. */
  readonly isJournaled: () => boolean;
  readonly log: Log;
}

export class AdmittedSite implements SiteAdmission {
  readonly #options: AdmittedSiteOptions;
  #isAdmitted = false;
  /** Events that are being stored. */
  #pending = 0;
  readonly areListed = true;

  constructor(options: AdmittedSiteOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#isAdmitted ? 1 : 0;
  }

  async untilListed(): Promise<void> {
    // The other instance lists them.
  }

  has(siteId: SiteId): boolean {
    return siteId === this.#options.siteId && this.#isAdmitted;
  }

  /** Sites are set where all are known. */
  hasRoomFor(): boolean {
    return true;
  }

  async check(): Promise<void> {
    await this.#options.registry.admit();
    this.#isAdmitted = true;
  }

  /** `hasEvents` is true from the first statement on. An answer of false shortly before has withdrawn the admission. */
  async storing(_siteId: SiteId, store: () => Promise<void>): Promise<void> {
    this.#pending++;
    try {
      if (!this.#isAdmitted) await this.check();
      await store();
    } finally {
      this.#pending--;
    }
  }

  async add(): Promise<void> {
    const { registry, log } = this.#options;
    if (this.#isAdmitted) return;
    try {
      await registry.announce();
      this.#isAdmitted = true;
    } catch (error) {
      log.warn("a site with new files could not be registered; it is tried again with its next file", { reason: reasonOf(error) });
    }
  }

  forgetUnlessJournaled(): void {
    if (this.#pending === 0 && !this.#options.isJournaled()) this.#isAdmitted = false;
  }

  /** True if the site has events, or is about to. */
  async hasEvents(): Promise<boolean> {
    const days = await this.#options.days();
    if (days.length > 0 || this.#pending > 0) return true;
    this.#isAdmitted = false;
    return false;
  }
}
