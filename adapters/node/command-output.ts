/** Output of commands: their outcome, counts, and on a terminal their progress. */

export interface CommandOutcome {
  /** False if a fault was found: the exit code is 1. */
  readonly succeeded: boolean;
  readonly text: string;
}

export const formatCount = (count: number): string => count.toLocaleString("en-US");

export const counted = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Indented lines for the first of `total` items. */
export const listed = (items: readonly string[], total: number): string[] => [
  ...items.map((item) => `  - ${item}`),
  ...(total > items.length ? [`  - and ${formatCount(total - items.length)} more`] : []),
];

const REWRITE_MS = 100;

/** ECMA-48: to the beginning of the line, and erase it. */
const CLEAR_LINE = "\r\x1b[K";

const MB = 1_000_000;

export interface Progress {
  /** Begins a step, such as "verifying". The line shows the number of its files, if known. */
  begin(step: string, filesTotal?: number): void;
  fileDone(bytes: number): void;
  end(): void;
}

export const noProgress: Progress = { begin() {}, fileDone() {}, end() {} };

interface Terminal {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export function createProgress(terminal: Terminal, monotonicMs: () => number = () => performance.now()): Progress {
  if (terminal.isTTY !== true) return noProgress;
  let [step, total, files, bytes, writtenAtMs] = ["", "", 0, 0, 0];
  const write = (): void => {
    writtenAtMs = monotonicMs();
    terminal.write(`${CLEAR_LINE}${step}: ${formatCount(files)}${total} files, ${formatCount(Math.round(bytes / MB))} MB`);
  };
  return {
    begin(name, filesTotal) {
      [step, total, files, bytes] = [name, filesTotal === undefined ? "" : ` of ${formatCount(filesTotal)}`, 0, 0];
      write();
    },
    fileDone(size) {
      files++;
      bytes += size;
      if (monotonicMs() - writtenAtMs >= REWRITE_MS) write();
    },
    end() {
      terminal.write(CLEAR_LINE);
    },
  };
}
