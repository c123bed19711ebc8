/**
 * Static files that the build bundles with the program: their packed form, the lookup by name, and the addresses of the instance in
 * them (docs/http-api.md, "Static files").
 */
import { crc32 } from "../../storage/checksum.ts";
import { gzip as compress } from "../../storage/gzip.ts";
import type { Config } from "../base/config/config.ts";
import { DASHBOARD_PAGE, EVENT_PATH } from "../base/config/names.ts";

/** A file in all its content encodings. */
export interface Asset {
  /** The Content-Type header, with a charset for text. */
  readonly contentType: string;
  /** A hash of the content, for the ETag. */
  readonly version: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Compressed forms are absent if compression saves too little. */
  readonly brotli?: Uint8Array<ArrayBuffer>;
  readonly gzip?: Uint8Array<ArrayBuffer>;
}

/** Returns the file with this name; null if there is none. */
export type Assets = (name: string) => Asset | null;

/** A file as the build writes it: strings only, so that every bundler can include it. */
export interface PackedAsset {
  readonly contentType: string;
  readonly version: string;
  /** One of the two: what is no text is in Base64. */
  readonly text?: string;
  readonly base64?: string;
  /** Base64, like `gzip`. */
  readonly brotli?: string;
  readonly gzip?: string;
}

export type PackedAssets = Readonly<Record<string, PackedAsset>>;

const bytesOfBase64 = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

export const unpackAsset = ({ contentType, version, text, base64, brotli, gzip }: PackedAsset): Asset => ({
  contentType,
  version,
  bytes: base64 === undefined ? new TextEncoder().encode(text) : bytesOfBase64(base64),
  ...(brotli !== undefined && { brotli: bytesOfBase64(brotli) }),
  ...(gzip !== undefined && { gzip: bytesOfBase64(gzip) }),
});

/** Unpacks each file on first use. */
export function createAssets(packed: PackedAssets): Assets {
  const unpacked = new Map<string, Asset>();
  return (name) => {
    const found = Object.hasOwn(packed, name) ? packed[name] : undefined;
    if (!found) return null;
    const asset = unpacked.get(name) ?? unpackAsset(found);
    unpacked.set(name, asset);
    return asset;
  };
}

/** The file with another text. It has no Brotli form, because not every host can make one. */
async function edited({ contentType, version, bytes: built }: Asset, edit: (text: string) => string): Promise<Asset> {
  const bytes = new TextEncoder().encode(edit(new TextDecoder().decode(built)));
  const packed = (await compress(bytes)) as Uint8Array<ArrayBuffer>;
  return { contentType, version: `${version}-${crc32(bytes, 0, bytes.length).toString(16)}`, bytes, gzip: packed };
}

const attribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** The script with the path where this instance takes events, on the script's own origin. */
export const addressedScript = async (script: Asset, { basePath }: Pick<Config, "basePath">): Promise<Asset> =>
  basePath === "" ? script : edited(script, (text) => text.replace(EVENT_PATH, basePath + EVENT_PATH));

/** The files with the public address in the page, from which the dashboard takes it for the tracking code. */
export async function addressedAssets(
  assets: Assets,
  { basePath, dashboardOrigin }: Pick<Config, "basePath" | "dashboardOrigin">,
): Promise<Assets> {
  const built = assets(DASHBOARD_PAGE);
  if (built === null || dashboardOrigin === null) return assets;
  const link = `<link rel="canonical" href="${attribute(`${dashboardOrigin}${basePath}/`)}" />`;
  const page = await edited(built, (text) => text.replace("</head>", (end) => link + end));
  return (name) => (name === DASHBOARD_PAGE ? page : assets(name));
}

/** The page at an address one folder deeper: its relative addresses begin in the folder above. */
export const pageBelow = (page: Asset): Promise<Asset> => edited(page, (text) => text.replaceAll('="./', '="../'));
