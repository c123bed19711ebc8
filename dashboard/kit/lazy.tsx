/** Loads a part of the page when it is first shown. Until then it shows nothing, or `Loading`. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadLaterWords, words } from "../words/words.ts";
import { LinkButton } from "./inline.tsx";
import { addressOf } from "./later-files.ts";

/** File names contain a hash: after an update of the service, an open page no longer finds its files. */
export const NotLoaded = () => (
  <p class="problem" role="alert">
    {words.kit.notLoaded} <LinkButton onClick={() => location.reload()}>{words.kit.reload}</LinkButton>
  </p>
);

interface LazyOptions {
  /** Replaces code that cannot be fetched. */
  readonly Failed?: ComponentType;
  readonly Loading?: ComponentType;
}

export function lazy<Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
  { Failed = NotLoaded, Loading }: LazyOptions = {},
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [hasFailed, setFailed] = useState(false);
    const [, setLoaded] = useState(Loaded !== null);
    useEffect(() => {
      let isShown = true;
      load().then(
        (component) => {
          Loaded = component;
          if (isShown) setLoaded(true);
        },
        () => isShown && setFailed(true),
      );
      return () => {
        isShown = false;
      };
    }, []);
    if (hasFailed) return <Failed />;
    if (Loaded) return <Loaded {...props} />;
    return Loading ? <Loading /> : null;
  };
}

let loadingStyle: Promise<void> | null = null;

/** Resolves once the style applies; the next call retries a failed load. */
const loadLaterStyle = (): Promise<void> =>
  (loadingStyle ??= new Promise<void>((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = addressOf("later");
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove();
      loadingStyle = null;
      reject(new Error("The style could not be loaded"));
    });
    document.head.append(link);
  }));

/**
 * Loads a part that no first view has, and what all such parts share: their style (`styles/later.css`), and before the code, whose
 * constants may hold them, their words (`words/en-later.ts`).
 */
export const lazyLater = <Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
  options?: LazyOptions,
): ComponentType<Props> =>
  lazy(async () => {
    const [component] = await Promise.all([loadLaterWords().then(load), loadLaterStyle()]);
    return component;
  }, options);
