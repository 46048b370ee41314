/** Paths of an installed service. */
export const account = "patchbay";
export const dataDir = "/var/lib/patchbay";
export const settingsFile = "/etc/patchbay/patchbay.toml";
/** A file for secret settings, readable by root only. */
export const secretsFile = "/etc/patchbay/secrets.env";
export const unitName = "patchbay.service";

export interface Layout {
  /** Path of the program. */
  readonly program: string;
  /** Folder of the unit: `/etc/systemd/system`, or `/lib/systemd/system` in a package. */
  readonly unitDir: string;
}

/** Unless a command is told otherwise. */
export const usualLayout: Layout = { program: "/usr/local/bin/patchbay", unitDir: "/etc/systemd/system" };

export interface PlannedFile {
  readonly path: string;
  readonly mode: number;
  /** Readable by the service account's group. */
  readonly forService?: boolean;
  /** Kept if the operator has changed it. */
  readonly keep?: boolean;
  readonly content: string;
}
