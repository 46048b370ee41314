/** How variables of the command line client begin: the service has no settings of that kind. */
export const clientVariablePrefix = "PATCHBAY_CLIENT_";
