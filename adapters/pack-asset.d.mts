import type { PackedAsset } from "../src/runtime/assets.ts";

/** Tells this content from any other: 16 hexadecimal digits. */
export function versionOf(text: string): string;

/** The file as the bundle carries it, in Brotli and gzip as well where that pays. */
export function packAsset(contentType: string, text: string): PackedAsset;

/** As `packAsset`, for a script. */
export function packScript(text: string): PackedAsset;
