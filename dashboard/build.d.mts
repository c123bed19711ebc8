import type { PackedAsset } from "../src/runtime/service/assets.ts";

/** The dashboard's files by name; the page is `index.html`. */
export function buildDashboard(): Promise<Record<string, PackedAsset>>;
