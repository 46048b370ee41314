/** A setting in force, as GET /settings and `patchbay config` show it. */
export interface SettingRecord {
  name: string;
  /** Secrets masked; empty where nothing is set. */
  value: string;
  origin: "flag" | "environment" | "file" | "default";
  /** Its variable of the environment. */
  variable: string;
  about: string;
}

/** One part of the program: what it is and under which licence, as its package states it. */
export interface LicenceRecord {
  title: string;
  text: string;
}
