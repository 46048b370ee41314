/** Private keys of a login: from the request, from a file of the operator's key folders, or found there. */
import { readFile } from "node:fs/promises";
import type { FilesKit, SshTarget } from "patchbay/plugin";
import { Secret } from "patchbay/plugin";

export interface KeySource {
  /** A file below the key folders. */
  readonly path: string | undefined;
  /** The key itself. */
  readonly pem: Secret | undefined;
  readonly passphrase: Secret | undefined;
  /** Tries the keys that lie in the key folders, where no key is named. */
  readonly discover: boolean;
}

export type SshKeys = NonNullable<SshTarget["keys"]>;

/** @throws PluginError a file that is not there, or lies outside */
export async function readKeys(
  files: FilesKit,
  { path, pem, passphrase, discover }: KeySource,
): Promise<SshKeys> {
  const phrase = passphrase === undefined ? {} : { passphrase };
  const keys: SshKeys[number][] = [];
  if (pem !== undefined) keys.push({ pem, label: "pkey", ...phrase });
  const found = discover && pem === undefined ? await files.discoverKeys() : [];
  for (const file of path === undefined ? found : [await files.keyFile(path)]) {
    const text = new Secret(await readFile(file, "utf8"));
    keys.push({ pem: text, label: file.slice(file.lastIndexOf("/") + 1), ...phrase });
  }
  return keys;
}
