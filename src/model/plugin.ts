/** The record of a plugin, as GET /plugin shows it. */
export interface PluginRecord {
  /** Of a refused one: its file or folder. */
  name: string;
  /** `null` where it is not known: it is refused. */
  kind: string | null;
  version: string | null;
  /** `builtin`, or the file or folder that it came from. */
  origin: string;
  settings: PluginSetting[];
  /** Why it is not taken. */
  refused: string | null;
}

export interface PluginSetting {
  name: string;
  /** Secrets masked. */
  value: string;
  origin: "environment" | "file" | "default";
}
