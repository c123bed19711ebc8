import type { PackedAsset } from "../src/runtime/service/assets.ts";

/** Identifies the content: 16 hexadecimal digits. */
export function versionOf(text: string): string;

/** The file for the bundle, also in Brotli and gzip if that makes it smaller. */
export function packAsset(contentType: string, text: string): PackedAsset;

/** `packAsset` for a script. */
export function packScript(text: string): PackedAsset;
