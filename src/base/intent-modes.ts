/** How a section of a configuration is compared with what it should be. */
export const intentModes = ["exact", "contains", "absent", "ordered", "ignore_extra"] as const;
export type IntentMode = (typeof intentModes)[number];

/** Between the lines of a path in a pattern: `router bgp * > neighbor *`. */
export const pathSign = " > ";
