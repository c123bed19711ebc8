/** German words of dialogs, settings and other pages, which load with the first of them. Formal ("Sie") where the reader is addressed; infinitives on buttons. Quotation marks are „…“. */
import type { enLater } from "./en-later.ts";
import type { Translation } from "./language.ts";

export const deLater = {
  valueCounts: {
    channels: { one: "{count} Kanal", other: "{count} Kanäle" },
    sources: { one: "{count} Quelle", other: "{count} Quellen" },
    referrers: { one: "{count} Referrer", other: "{count} Referrer" },
    "utm-campaigns": { one: "{count} Kampagne", other: "{count} Kampagnen" },
    "utm-sources": { one: "{count} UTM-Quelle", other: "{count} UTM-Quellen" },
    "utm-mediums": { one: "{count} UTM-Medium", other: "{count} UTM-Medien" },
    "utm-contents": { one: "{count} UTM-Inhalt", other: "{count} UTM-Inhalte" },
    "utm-terms": { one: "{count} UTM-Begriff", other: "{count} UTM-Begriffe" },
    hostnames: { one: "{count} Hostname", other: "{count} Hostnamen" },
    pages: { one: "{count} Seite", other: "{count} Seiten" },
    "entry-pages": { one: "{count} Einstiegsseite", other: "{count} Einstiegsseiten" },
    "exit-pages": { one: "{count} Ausstiegsseite", other: "{count} Ausstiegsseiten" },
    countries: { one: "{count} Land", other: "{count} Länder" },
    regions: { one: "{count} Region", other: "{count} Regionen" },
    cities: { one: "{count} Stadt", other: "{count} Städte" },
    browsers: { one: "{count} Browser", other: "{count} Browser" },
    "browser-versions": { one: "{count} Browserversion", other: "{count} Browserversionen" },
    os: { one: "{count} Betriebssystem", other: "{count} Betriebssysteme" },
    "os-versions": { one: "{count} Systemversion", other: "{count} Systemversionen" },
    "screen-sizes": { one: "{count} Bildschirmgröße", other: "{count} Bildschirmgrößen" },
    devices: { one: "{count} Gerätetyp", other: "{count} Gerätetypen" },
    events: { one: "{count} Ereignis", other: "{count} Ereignisse" },
  },
} satisfies Translation<typeof enLater, "one" | "other">;
