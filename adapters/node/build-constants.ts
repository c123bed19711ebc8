/** The constants that the build defines: the packed assets and the version. */
import type { PackedAsset, PackedAssets } from "../../src/runtime/service/assets.ts";

declare const TRACKER_SCRIPT: PackedAsset;
declare const DASHBOARD_ASSETS: PackedAssets;
declare const VERSION: string;

export const PACKED_TRACKER_SCRIPT = TRACKER_SCRIPT;
export const PACKED_DASHBOARD = DASHBOARD_ASSETS;
export const PROGRAM_VERSION = VERSION;
