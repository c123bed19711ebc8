import type { BundledLicenses } from "../adapters/licenses.mjs";
import type { PackedAsset } from "../src/runtime/service/assets.ts";

/** The dashboard's files by name; the page is `index.html`. */
export function buildDashboard(licenses?: BundledLicenses): Promise<Record<string, PackedAsset>>;
