import type { Plugin } from "esbuild";

/** The packages in the built files, and the notice that their licenses demand. */
export class BundledLicenses {
  /** Records the packages of a build. */
  readonly plugin: Plugin;
  /** The notice of all packages. Throws if the license of one is not allowed or has no text. */
  notice(): Promise<string>;
}
