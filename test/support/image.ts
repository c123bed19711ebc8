/** Builds and runs the image of the Dockerfile: by Docker, if there is a daemon, otherwise in namespaces of this machine. */
import type { Image } from "./container.ts";
import { buildByDocker, hasDocker } from "./docker-image.ts";
import { buildByHand, hasNamespaces } from "./namespaced-image.ts";

/** The reason why no image can be run on this machine; null if one can. */
export const whyNoContainers = (): string | null =>
  hasDocker() || hasNamespaces() ? null : "neither a Docker daemon nor the right to make namespaces on this machine";

export const buildImage = (): Promise<Image> => (hasDocker() ? buildByDocker() : buildByHand());
