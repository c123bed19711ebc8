/** Files of symbols. */
export type SpriteName = "flags" | "flags-more" | "browsers" | "systems" | "sources" | "sources-more";

/** The sprites, and the ids of their symbols. */
export function drawSprites(): Promise<Readonly<Record<SpriteName, { readonly svg: string; readonly ids: readonly string[] }>>>;
