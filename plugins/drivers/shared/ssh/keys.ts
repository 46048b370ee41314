/** Private keys of a login: from the request, from a file in the operator's key folders, or discovered there. */
import { readFile } from "node:fs/promises";
import type { FilesKit, SshTarget } from "patchbay/plugin";
import { Secret } from "patchbay/plugin";

export interface KeySource {
  /** Files below the key folders. */
  readonly paths: readonly string[];
  /** The key itself. */
  readonly pem: Secret | undefined;
  readonly passphrase: Secret | undefined;
  /** OpenSSH certificate of the given key; for a key file, `…-cert.pub` beside it is used. */
  readonly certificate: string | undefined;
  /** Also tries the keys found in the key folders, after all others. */
  readonly discover: boolean;
}

export type SshKeys = NonNullable<SshTarget["keys"]>;
type SshKey = SshKeys[number];

/** @throws PluginError for a file that does not exist or is outside the key folders */
export async function readKeys(files: FilesKit, source: KeySource): Promise<SshKeys> {
  const { paths, pem, certificate, discover } = source;
  const phrase = source.passphrase === undefined ? {} : { passphrase: source.passphrase };
  const named: SshKey[] = [];
  const namedFiles = new Set<string>();
  if (pem !== undefined) named.push({ pem, label: "pkey", ...phrase, ...certificateField(certificate) });
  for (const path of paths) {
    const file = await files.keyFile(path);
    namedFiles.add(file);
    const keyCertificate =
      pem === undefined && certificate !== undefined ? certificate : await beside(files, file);
    named.push({ ...(await readKey(file)), ...phrase, ...certificateField(keyCertificate) });
  }
  const discovered = discover ? await foundKeys(files, namedFiles) : [];
  return [...named, ...discovered.map((key) => ({ ...key, ...phrase }))];
}

const certificateField = (certificate: string | undefined) =>
  certificate === undefined ? {} : { certificate };

async function readKey(file: string): Promise<SshKey> {
  return {
    pem: new Secret(await readFile(file, "utf8")),
    label: file.slice(file.lastIndexOf("/") + 1),
  };
}

async function beside(files: FilesKit, file: string): Promise<string | undefined> {
  try {
    return await readFile(await files.keyFile(`${file}-cert.pub`), "utf8");
  } catch {
    // There is no readable certificate.
    return undefined;
  }
}

/** Skips unreadable keys, since none was requested by name. */
async function foundKeys(files: FilesKit, namedFiles: ReadonlySet<string>): Promise<SshKey[]> {
  const keys: SshKey[] = [];
  for (const file of await files.discoverKeys()) {
    const key = namedFiles.has(file) ? undefined : await readKey(file).catch(() => undefined);
    if (key !== undefined) keys.push({ ...key, found: true, ...certificateField(await beside(files, file)) });
  }
  return keys;
}
