/** Prefix of the client's environment variables; the service has no settings with this prefix. */
export const clientVariablePrefix = "PATCHBAY_CLIENT_";
