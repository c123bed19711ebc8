/** What browsers have and the compiler's library does not know yet. */

interface Document {
  readonly prerendering?: boolean;
}

interface Navigator {
  readonly globalPrivacyControl?: boolean;
}
