/** Limits of inventory texts, which the service keeps whatever a plugin does. */
export const inventoryTextLimits = {
  /** Of a text to import. */
  bytes: 8 * 1024 * 1024,
  devices: 100_000,
  groups: 10_000,
  /** Characters of a line in line-based formats. */
  lineChars: 65_536,
  /** Levels of nested values. */
  depth: 64,
  /** Characters of all entries read from a text, as JSON: references in a small text may expand to a large one. */
  entryChars: 64 * 1024 * 1024,
  /** Characters of an export, and of a piece of it. */
  exportChars: 512 * 1024 * 1024,
  pieceChars: 32 * 1024 * 1024,
  /** Warnings that are passed on, and characters of each. */
  warnings: 100,
  warningChars: 2_000,
} as const;
