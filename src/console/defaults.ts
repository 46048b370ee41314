/** Default values of forms. */

/** The preferred driver; if it is missing, the first one. */
export const firstDriver = "netmiko";

/** Formats of inventory files that every service has. */
export const usualFormats = ["csv", "yaml", "json", "nornir", "ansible", "oxidized", "netpulse"] as const;

/** The default credential source. */
export const ownSource = "file";
