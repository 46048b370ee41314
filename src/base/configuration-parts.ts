/** The texts of a device, for the API and for plugins. */

/** What runs, what it starts with, and what runs as commands that set it. */
export const configurationParts = ["running", "startup", "set"] as const;

/** A text of a device: what runs, what it starts with, and what runs as commands that set it. */
export type ConfigurationPart = (typeof configurationParts)[number];
