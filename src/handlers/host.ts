/** What a client may name as the service's host (RFC 9110, 7.2): nothing that could pass for a path, a query or user information. */

/** Underscores are in the names of container networks. Whether digits make an address is for the URL parser to say. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

export const HOST_RULE = 'The header "Host" must be a host name or an IP address, with :port where needed';

/** Whether `text` has the form `host`, `host:port`, `[ipv6]` or `[ipv6]:port`. */
export const isHost = (text: string): boolean => HOST.test(text);
