/** Default values of forms. */

/** The preferred driver; if it is missing, the first one. */
export const firstDriver = "netmiko";

/** The default credential source. */
export const ownSource = "file";
