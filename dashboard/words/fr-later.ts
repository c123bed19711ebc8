/** French words of dialogs, settings and other pages, which load with the first of them. Addresses the reader as "vous"; infinitives on buttons. A no-break space stands before : ; ! ? and inside « ». */
import type { enLater } from "./en-later.ts";
import type { Translation } from "./language.ts";

export const frLater = {
  valueCounts: {
    channels: { one: "{count} canal", many: "{count} de canaux", other: "{count} canaux" },
    sources: { one: "{count} source", many: "{count} de sources", other: "{count} sources" },
    referrers: { one: "{count} référent", many: "{count} de référents", other: "{count} référents" },
    "utm-campaigns": { one: "{count} campagne", many: "{count} de campagnes", other: "{count} campagnes" },
    "utm-sources": { one: "{count} source UTM", many: "{count} de sources UTM", other: "{count} sources UTM" },
    "utm-mediums": { one: "{count} support UTM", many: "{count} de supports UTM", other: "{count} supports UTM" },
    "utm-contents": { one: "{count} contenu UTM", many: "{count} de contenus UTM", other: "{count} contenus UTM" },
    "utm-terms": { one: "{count} terme UTM", many: "{count} de termes UTM", other: "{count} termes UTM" },
    hostnames: { one: "{count} nom d’hôte", many: "{count} de noms d’hôte", other: "{count} noms d’hôte" },
    pages: { one: "{count} page", many: "{count} de pages", other: "{count} pages" },
    "entry-pages": { one: "{count} page d’entrée", many: "{count} de pages d’entrée", other: "{count} pages d’entrée" },
    "exit-pages": { one: "{count} page de sortie", many: "{count} de pages de sortie", other: "{count} pages de sortie" },
    countries: { one: "{count} pays", many: "{count} de pays", other: "{count} pays" },
    regions: { one: "{count} région", many: "{count} de régions", other: "{count} régions" },
    cities: { one: "{count} ville", many: "{count} de villes", other: "{count} villes" },
    browsers: { one: "{count} navigateur", many: "{count} de navigateurs", other: "{count} navigateurs" },
    "browser-versions": {
      one: "{count} version de navigateur",
      many: "{count} de versions de navigateur",
      other: "{count} versions de navigateur",
    },
    os: { one: "{count} système d’exploitation", many: "{count} de systèmes d’exploitation", other: "{count} systèmes d’exploitation" },
    "os-versions": { one: "{count} version de système", many: "{count} de versions de système", other: "{count} versions de système" },
    "screen-sizes": { one: "{count} taille d’écran", many: "{count} de tailles d’écran", other: "{count} tailles d’écran" },
    devices: { one: "{count} type d’appareil", many: "{count} de types d’appareil", other: "{count} types d’appareil" },
    events: { one: "{count} événement", many: "{count} d’événements", other: "{count} événements" },
  },
} satisfies Translation<typeof enLater, "one" | "many" | "other">;
