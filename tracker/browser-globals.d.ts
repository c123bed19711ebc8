/** Browser APIs that TypeScript's DOM library does not have yet. */

interface Document {
  readonly prerendering?: boolean;
}

interface Navigator {
  readonly globalPrivacyControl?: boolean;
}
