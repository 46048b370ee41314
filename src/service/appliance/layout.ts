/** Where an installed service has its parts. */
export const account = "patchbay";
export const dataDir = "/var/lib/patchbay";
export const settingsFile = "/etc/patchbay/patchbay.toml";
/** Secrets, for settings that must not stand in a file that others read. */
export const secretsFile = "/etc/patchbay/secrets.env";
export const unitName = "patchbay.service";

export interface Layout {
  /** Path of the program. */
  readonly program: string;
  /** Folder of the unit: `/etc/systemd/system`, or `/lib/systemd/system` in a package. */
  readonly unitDir: string;
}

export interface PlannedFile {
  readonly path: string;
  readonly mode: number;
  /** Read by the group of the service's account. */
  readonly forService?: boolean;
  /** What an operator has changed is kept. */
  readonly keep?: boolean;
  readonly content: string;
}
