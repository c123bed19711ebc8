/** Which known name somebody who mistyped one most likely meant. */

/** More edits than this make another word, not a slip. */
const EDITS_MAX = 3;

/** One edit is forgiven for every this many letters, so that short names are not taken for one another. */
const LETTERS_PER_EDIT = 3;

/** The nearest of `names`, the first of equals; `undefined` when none is near. */
export function closestName(typed: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let editsAllowed = Math.min(EDITS_MAX, Math.max(1, Math.floor(typed.length / LETTERS_PER_EDIT)));
  for (const name of names) {
    const edits = editsBetween(typed, name, editsAllowed);
    if (edits > editsAllowed) continue;
    nearest = name;
    editsAllowed = edits - 1;
  }
  return nearest;
}

/**
 * How many letters must be put in, left out, changed, or swapped with their neighbour to make `b` of `a`.
 * It stops at `editsMax`: any larger result only means "more than that".
 */
export function editsBetween(a: string, b: string, editsMax: number): number {
  if (Math.abs(a.length - b.length) > editsMax) return editsMax + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min(at(last, column - 1) + (same ? 0 : 1), at(last, column) + 1, at(current, column - 1) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        edits = Math.min(edits, at(beforeLast, column - 2) + 1);
      }
      current.push(edits);
    }
    // A swap reaches two rows back, so both must be past the bound before the rest is hopeless.
    if (Math.min(...current) > editsMax && Math.min(...last) > editsMax) return editsMax + 1;
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity;
