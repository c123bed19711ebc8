/**
 * The Response and Headers classes of the Node bundle: those of the HTTP stack, which cost a fraction of Node's own to create and
 * send. The build injects them wherever the names occur. Owner of @whatwg-node/fetch.
 */
export { Headers, Response } from "@whatwg-node/fetch";
