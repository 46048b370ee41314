/** An effective setting, as in GET /settings and `patchbay config`. */
export interface SettingRecord {
  name: string;
  /** With secrets masked; empty if not set. */
  value: string;
  origin: "flag" | "environment" | "file" | "default";
  /** Its environment variable. */
  variable: string;
  about: string;
}

/** A part of the program with its licence text. */
export interface LicenceRecord {
  title: string;
  text: string;
}
