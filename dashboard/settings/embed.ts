/** HTML that embeds a shared dashboard in a frame as high as its content (docs/sharing.md, "Embedding"). */
import { words } from "../words/words.ts";

export const EMBED_THEMES = { system: words.sharing.system, light: words.sharing.light, dark: words.sharing.dark } as const;
export type EmbedTheme = keyof typeof EMBED_THEMES;

/** Height until the frame reports its own. */
const HEIGHT_PX = 1600;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

export function embedCode(url: string, title: string, theme: EmbedTheme): string {
  const address = `${url}?embed=1${theme === "system" ? "" : `&theme=${theme}`}`;
  return `<iframe
  title="${escaped(title)}"
  src="${escaped(address)}"
  width="100%"
  height="${HEIGHT_PX}"
  style="border: 0"
  loading="lazy"
></iframe>
<script>
  addEventListener("message", ({ data, origin, source }) => {
    if (origin !== "${new URL(url).origin}" || data?.type !== "sandpiper:height") return;
    for (const frame of document.querySelectorAll("iframe")) {
      if (frame.contentWindow === source) frame.height = data.height;
    }
  });
</script>`;
}
