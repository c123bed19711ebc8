/**
 * Which Response and Headers the bundle means: those of the HTTP stack, like its Request, which cost a fraction of Node's own
 * to make and to send. Put in by the build wherever the names occur. Owner of @whatwg-node/fetch.
 */
export { Headers, Response } from "@whatwg-node/fetch";
