/** Which site: a menu of all there are, and the way to count another. */
import { Menu } from "../components/menu.tsx";
import { go, openPanel, site } from "../state/view.ts";

export function SiteSwitcher({ sites }: { readonly sites: readonly string[] }) {
  const choose = (id: string) => go({ site: id, filters: null, steps: null, page: null, key: null, event: null });
  return (
    <Menu
      label={`Site: ${site.value ?? "none"}`}
      buttonClass="bar-button site-button"
      button={
        <>
          <strong>{site.value}</strong> <span class="caret" aria-hidden="true" />
        </>
      }
      items={[
        ...sites.map((id) => ({ label: id, isChosen: id === site.value, onChoose: () => choose(id) })),
        null,
        { label: "Add a site…", onChoose: () => openPanel("snippet") },
      ]}
    />
  );
}
