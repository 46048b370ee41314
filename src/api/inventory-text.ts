/** Names of import and export formats. */

export const importFormats = ["csv", "yaml", "json", "nornir", "ansible", "oxidized", "netpulse"] as const;
export type ImportFormat = (typeof importFormats)[number];

export const exportFormats = ["csv", "yaml", "json", "nornir", "ansible", "oxidized"] as const;
export type InventoryExportFormat = (typeof exportFormats)[number];

/** Maximum size of an import. */
export const importBytes = 8 * 1024 * 1024;
