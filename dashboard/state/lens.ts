/** The lens of the view: which visits its figures count (docs/reports.md, "Lenses"). */
import { computed } from "@preact/signals";
import { navigate, param } from "./url.ts";

/** The one that counts the fewest visits comes first. */
export const LENSES = ["strict", "default", "everything"] as const;

export type Lens = (typeof LENSES)[number];

const DEFAULT: Lens = "default";

export const lens = computed((): Lens => LENSES.find((known) => known === param("lens")) ?? DEFAULT);

export const setLens = (chosen: Lens): void => navigate({ lens: chosen === DEFAULT ? null : chosen });

/** Nothing for the default, so that its requests are those of a view without a lens. */
export const lensParameter = computed((): { readonly lens?: Lens } => (lens.value === DEFAULT ? {} : { lens: lens.value }));
