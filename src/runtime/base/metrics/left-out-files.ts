/**
 * Files of events that reports leave out, because they are damaged, missing or in the wrong place: what an operator can be alerted to
 * (docs/backup.md, "Damaged files"). A file is known from the time at which something wanted to read it.
 */
import { LEFT_OUT_FILES_MAX } from "../config/limits.ts";

export class LeftOutFiles {
  readonly #keys = new Set<string>();

  /** At most `LEFT_OUT_FILES_MAX`. */
  get count(): number {
    return this.#keys.size;
  }

  note(key: string): void {
    if (this.#keys.size < LEFT_OUT_FILES_MAX) this.#keys.add(key);
  }

  /** It was read whole. */
  forget(key: string): void {
    this.#keys.delete(key);
  }

  /** They are deleted. */
  forgetAll(isDeleted: (key: string) => boolean): void {
    for (const key of this.#keys) if (isDeleted(key)) this.#keys.delete(key);
  }
}
