import type { PackedAsset } from "../src/runtime/assets.ts";

/** The files of the dashboard by name; the page is `index.html`. */
export function buildDashboard(): Promise<Record<string, PackedAsset>>;
