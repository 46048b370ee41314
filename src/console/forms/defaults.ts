/** Default values of forms. */

/** The preferred driver; if it is missing, the first one. */
export const firstDriver = "netmiko";

/** Formats of inventory files that every service has. */
export const usualFormats = ["csv", "yaml", "json", "nornir", "ansible", "oxidized", "netpulse"] as const;

/** Kinds of sources that every service has, and the fields that are theirs only. */
export const usualKinds = ["url", "git", "netbox"] as const;
export const fieldsOfKinds = ["path", "ref", "filter", "object"] as const;

/** The default credential source. */
export const ownSource = "file";
