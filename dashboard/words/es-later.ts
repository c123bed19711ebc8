/** Spanish words of dialogs, settings and other pages, which load with the first of them. Addresses the reader as "tú"; infinitives on buttons. Quotation marks are « ». */
import type { enLater } from "./en-later.ts";
import type { Translation } from "./language.ts";

export const esLater = {
  valueCounts: {
    channels: { one: "{count} canal", many: "{count} de canales", other: "{count} canales" },
    sources: { one: "{count} fuente", many: "{count} de fuentes", other: "{count} fuentes" },
    referrers: { one: "{count} referente", many: "{count} de referentes", other: "{count} referentes" },
    "utm-campaigns": { one: "{count} campaña", many: "{count} de campañas", other: "{count} campañas" },
    "utm-sources": { one: "{count} fuente UTM", many: "{count} de fuentes UTM", other: "{count} fuentes UTM" },
    "utm-mediums": { one: "{count} medio UTM", many: "{count} de medios UTM", other: "{count} medios UTM" },
    "utm-contents": { one: "{count} contenido UTM", many: "{count} de contenidos UTM", other: "{count} contenidos UTM" },
    "utm-terms": { one: "{count} término UTM", many: "{count} de términos UTM", other: "{count} términos UTM" },
    hostnames: { one: "{count} nombre de host", many: "{count} de nombres de host", other: "{count} nombres de host" },
    pages: { one: "{count} página", many: "{count} de páginas", other: "{count} páginas" },
    "entry-pages": { one: "{count} página de entrada", many: "{count} de páginas de entrada", other: "{count} páginas de entrada" },
    "exit-pages": { one: "{count} página de salida", many: "{count} de páginas de salida", other: "{count} páginas de salida" },
    countries: { one: "{count} país", many: "{count} de países", other: "{count} países" },
    regions: { one: "{count} región", many: "{count} de regiones", other: "{count} regiones" },
    cities: { one: "{count} ciudad", many: "{count} de ciudades", other: "{count} ciudades" },
    browsers: { one: "{count} navegador", many: "{count} de navegadores", other: "{count} navegadores" },
    "browser-versions": {
      one: "{count} versión de navegador",
      many: "{count} de versiones de navegador",
      other: "{count} versiones de navegador",
    },
    os: { one: "{count} sistema operativo", many: "{count} de sistemas operativos", other: "{count} sistemas operativos" },
    "os-versions": { one: "{count} versión de sistema", many: "{count} de versiones de sistema", other: "{count} versiones de sistema" },
    "screen-sizes": { one: "{count} tamaño de pantalla", many: "{count} de tamaños de pantalla", other: "{count} tamaños de pantalla" },
    devices: { one: "{count} tipo de dispositivo", many: "{count} de tipos de dispositivo", other: "{count} tipos de dispositivo" },
    events: { one: "{count} evento", many: "{count} de eventos", other: "{count} eventos" },
  },
} satisfies Translation<typeof enLater, "one" | "many" | "other">;
