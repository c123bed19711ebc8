/** How many visitors there are in all in the present view: what shares are of. Null until it is known. */
import { signal } from "@preact/signals";

export const totalVisitors = signal<number | null>(null);
