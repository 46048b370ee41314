/** The record of a plugin, as in GET /plugin. */
export interface PluginRecord {
  /** For a refused plugin: its file or folder. */
  name: string;
  /** Null if unknown, for a refused plugin. */
  kind: string | null;
  version: string | null;
  /** `builtin`, or its file or folder. */
  origin: string;
  settings: PluginSetting[];
  /** Why it was refused. */
  refused: string | null;
}

export interface PluginSetting {
  name: string;
  /** With secrets masked. */
  value: string;
  origin: "environment" | "file" | "default";
}
