/** The style of the settings, which loads with their first use. */

/** Defined by the build. The file is beside the scripts. */
declare const SETTINGS_STYLE_NAME: string;

let loading: Promise<void> | null = null;

/** Resolves once it applies. A failed load is tried again by the next call. */
export function loadStyle(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(SETTINGS_STYLE_NAME, import.meta.url).href;
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove();
      loading = null;
      reject(new Error("The style could not be loaded"));
    });
    document.head.append(link);
  });
  return loading;
}
