/**
 * `opt-out.js`: shows visitors whether this browser is counted on the page's site, and lets them change it (docs/privacy.md, "Opt-out
 * link and page"). A script of its own, because the tracker writes nothing to the browser.
 */
import { IGNORE_KEY, OPT_OUT_ID } from "./names.ts";
import { documentProperty } from "./page.ts";

/** `{host}` is the page's. */
const WORDS = {
  en: {
    title: "Visitor statistics",
    counted: "Visits to {host} with this browser are counted.",
    ignored: "Visits to {host} with this browser are not counted.",
    stop: "Don’t count this browser",
    resume: "Count this browser again",
    stored: "This choice is stored in this browser only. It ends when you clear the site’s data.",
    blocked: "This browser doesn’t let {host} store a choice.",
    framed: "You can’t choose in this frame, because it comes from another website ({host}).",
    close: "Close",
  },
  de: {
    title: "Besucherstatistik",
    counted: "Besuche auf {host} mit diesem Browser werden gezählt.",
    ignored: "Besuche auf {host} mit diesem Browser werden nicht gezählt.",
    stop: "Diesen Browser nicht zählen",
    resume: "Diesen Browser wieder zählen",
    stored: "Die Wahl ist nur in diesem Browser gespeichert. Sie endet, wenn Sie die Daten der Website löschen.",
    blocked: "Dieser Browser erlaubt {host} nicht, eine Wahl zu speichern.",
    framed: "In diesem Rahmen können Sie nicht wählen, weil er von einer anderen Website kommt ({host}).",
    close: "Schließen",
  },
  fr: {
    title: "Statistiques de visite",
    counted: "Les visites de {host} avec ce navigateur sont comptées.",
    ignored: "Les visites de {host} avec ce navigateur ne sont pas comptées.",
    stop: "Ne plus compter ce navigateur",
    resume: "Compter de nouveau ce navigateur",
    stored: "Ce choix n’est enregistré que dans ce navigateur. Il prend fin si vous effacez les données du site.",
    blocked: "Ce navigateur ne permet pas à {host} d’enregistrer un choix.",
    framed: "Impossible de choisir dans ce cadre, car il vient d’un autre site ({host}).",
    close: "Fermer",
  },
  es: {
    title: "Estadísticas de visitas",
    counted: "Las visitas a {host} con este navegador se cuentan.",
    ignored: "Las visitas a {host} con este navegador no se cuentan.",
    stop: "No contar este navegador",
    resume: "Volver a contar este navegador",
    stored: "Esta elección se guarda solo en este navegador. Termina cuando borras los datos del sitio.",
    blocked: "Este navegador no permite que {host} guarde una elección.",
    framed: "No se puede elegir en este marco, porque viene de otro sitio ({host}).",
    close: "Cerrar",
  },
};

type Language = keyof typeof WORDS;

const attemptQuietly = <Result>(action: () => Result): Result | null => {
  try {
    return action();
  } catch {
    return null;
  }
};

/** null where the browser keeps nothing for the page. */
const isIgnored = (): boolean | null => attemptQuietly(() => localStorage.getItem(IGNORE_KEY) === "true");

/** A browser keeps another storage for a page in a frame of another site. */
const isOfThisSite = (): boolean => attemptQuietly(() => window.top?.location.href) !== null;

/** The tag's `data-lang`, or else the page's language, or else the first of the visitor's languages that there are words for. */
const languageOf = (tag: HTMLElement | null): Language => {
  const names = [tag?.dataset.lang, document.documentElement.lang, ...navigator.languages].map((name) =>
    `${name}`.slice(0, 2).toLowerCase(),
  );
  return (names.find((name) => Object.keys(WORDS).includes(name)) || "en") as Language;
};

const added = <Name extends "button" | "p">(parent: HTMLElement, name: Name, text = ""): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name);
  element.textContent = text.replace(/{host}/g, location.host);
  parent.append(element);
  return element;
};

const addedButton = (parent: HTMLElement, text: string, onClick: () => void): HTMLButtonElement => {
  const button = added(parent, "button", text);
  button.type = "button";
  button.addEventListener("click", onClick);
  return button;
};

/** Fills the element; without a choice to make, with the reason. */
const fill = (panel: HTMLElement, words: (typeof WORDS)["en"]): HTMLElement => {
  const state = added(panel, "p", isOfThisSite() ? words.blocked : words.framed);
  state.setAttribute("role", "status");
  const actions = added(panel, "p");
  if (!isOfThisSite() || isIgnored() === null) return actions;
  const button = addedButton(actions, "", () => {
    attemptQuietly(() => (isIgnored() ? localStorage.removeItem(IGNORE_KEY) : localStorage.setItem(IGNORE_KEY, "true")));
    update();
  });
  const update = (): void => {
    state.textContent = (isIgnored() ? words.ignored : words.counted).replace("{host}", location.host);
    button.textContent = isIgnored() ? words.resume : words.stop;
  };
  update();
  panel.insertBefore(added(panel, "p", words.stored), actions);
  return actions;
};

/** Follows the tag of a page; is a dialog for a tag that the tracker adds. */
const show = (): void => {
  const tag = documentProperty("currentScript") as HTMLElement | null;
  const shown = document.getElementById(OPT_OUT_ID);
  const isPlaced = tag !== null && tag.parentNode !== document.documentElement;
  if (!isPlaced) tag?.remove();
  if (shown) return shown.focus();
  const language = languageOf(tag);
  const words = WORDS[language];
  const panel = document.createElement(isPlaced ? "section" : "dialog");
  panel.id = OPT_OUT_ID;
  panel.lang = language;
  panel.tabIndex = -1;
  panel.setAttribute("aria-label", words.title);
  const actions = fill(panel, words);
  if (isPlaced) return tag.after(panel);
  const dialog = panel as HTMLDialogElement;
  // Without the fragment, the link opens the dialog again.
  dialog.addEventListener("close", () => {
    dialog.remove();
    history.replaceState(history.state, "", location.pathname + location.search);
  });
  addedButton(actions, words.close, () => dialog.close());
  document.body.append(dialog);
  dialog.showModal();
};

show();
