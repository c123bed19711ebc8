/** Which keys of custom properties reports can be asked for (docs/http-api.md, "Properties"). Events may have others. */
export const PROPERTY_KEY = /^[A-Za-z0-9_.-]+$/;
