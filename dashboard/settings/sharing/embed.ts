/** The HTML that shows a shared dashboard in a frame of another site. */

export const EMBED_THEMES = { system: "Like the visitor's system", light: "Light", dark: "Dark" } as const;
export type EmbedTheme = keyof typeof EMBED_THEMES;

const HEIGHT_PX = 1600;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

export function embedCode(url: string, title: string, theme: EmbedTheme): string {
  const address = `${url}?embed=1${theme === "system" ? "" : `&theme=${theme}`}`;
  return `<iframe src="${escaped(address)}" title="${escaped(title)}" width="100%" height="${HEIGHT_PX}" style="border: 0" loading="lazy"></iframe>`;
}
