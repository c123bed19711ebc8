/** The reader's language, as far as it can be used: browsers may name one that is no language tag. */

function isUsable(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

export const LOCALE: string = navigator.languages.find(isUsable) ?? "en";
