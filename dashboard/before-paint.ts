/**
 * Applies color theme and language before the first paint. A classic script, because a module runs too late. It can import nothing, so it
 * repeats names of `kit/theme.ts` and `kit/language.ts`.
 */
const system = matchMedia("(prefers-color-scheme: dark)");

/** null where the browser blocks storage. */
function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Frames take the theme from their address (`?embed=1&theme=dark`), other pages from storage. */
function chosenTheme(): string | null {
  const parameters = new URLSearchParams(location.search);
  return parameters.has("embed") ? parameters.get("theme") : storedText("sandpiper.theme");
}

function applyTheme(): void {
  const chosen = chosenTheme();
  const isDark = chosen === "dark" || (chosen !== "light" && system.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}

applyTheme();
system.addEventListener("change", applyTheme);
addEventListener("sandpiper:theme", applyTheme);

const script = document.currentScript as HTMLScriptElement;

/** The files with the words, which are beside this one, by language: `en=en-A1B2.js de=…`, English first. */
const files = (script.dataset["words"] ?? "").split(" ").map((file) => file.split("="));

const isOffered = (language: string | undefined): boolean => files.some(([offered]) => offered === language);

/** Requests the words with the scripts, and not after them. */
function applyLanguage(): void {
  const wanted = [storedText("sandpiper.language") ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase());
  const language = wanted.find(isOffered) ?? "en";
  document.documentElement.lang = language;
  const link = document.createElement("link");
  link.rel = "modulepreload";
  // Not beside the page: pages of guests are in a folder.
  link.href = new URL(files.find(([offered]) => offered === language)?.[1] ?? "", script.src).href;
  document.head.append(link);
}

applyLanguage();
