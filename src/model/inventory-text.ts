/** Texts in which an inventory comes and goes: names of their formats. */

export const importFormats = ["csv", "yaml", "json", "nornir", "ansible", "oxidized", "netpulse"] as const;
export type ImportFormat = (typeof importFormats)[number];

export const exportFormats = ["csv", "yaml", "json", "nornir", "ansible", "oxidized"] as const;
export type InventoryExportFormat = (typeof exportFormats)[number];

/** Of a text that is imported. */
export const importBytes = 8 * 1024 * 1024;
