export type SpriteKind = "flags" | "browsers" | "systems" | "sources";

/** The sprites, and the ids of their symbols. */
export function drawSprites(): Promise<Record<SpriteKind, { readonly svg: string; readonly ids: readonly string[] }>>;
