/** How a command ends. */

export interface CommandOutcome {
  /** False if a fault was found: the exit code is 1. */
  readonly succeeded: boolean;
  /** The text to print. */
  readonly text: string;
}
