/** The keys that lead through the points of a chart (WAI-ARIA slider pattern). */

interface Points {
  /** Null where nothing is pointed at: then the first arrow key leads to `initial`. */
  readonly index: number | null;
  readonly initial: number;
  readonly last: number;
}

/** The browser's own shortcuts, such as Alt and an arrow key for Back. */
const isShortcut = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => ctrlKey || metaKey || altKey;

/** The index that the key leads to; undefined for any other key. */
export function indexAfterKey(event: KeyboardEvent, { index, initial, last }: Points): number | undefined {
  if (isShortcut(event)) return undefined;
  const after = (step: number) => (index === null ? initial : Math.min(Math.max(index + step, 0), last));
  return { ArrowLeft: after(-1), ArrowRight: after(1), Home: 0, End: last }[event.key];
}
