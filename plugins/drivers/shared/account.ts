/** Whom a connection reaches, and as whom: what the connections of all drivers have, and how it is checked. */
import * as v from "valibot";
import { certificateLine, flag, host, name, optional, path, secretLine, secretText } from "./fields.ts";

export const accountFields = {
  host: optional(host),
  hostname: optional(host),
  username: optional(name),
  password: optional(secretLine),
  // Laid over by the service before the driver sees the rest.
  credential: optional(v.record(v.string(), v.unknown())),
};

/** How drivers over SSH log in, besides a password, and what they take of a server. */
export const sshFields = {
  key_filename: optional(path),
  pkey: optional(secretText),
  passphrase: optional(secretLine),
  certificate: optional(certificateLine),
  allow_agent: optional(flag),
  host_key_policy: optional(v.picklist(["auto_add", "warning", "reject"])),
  ssh_profile: optional(v.picklist(["modern", "legacy"])),
};

interface Named {
  readonly host?: string | undefined;
  readonly hostname?: string | undefined;
}

/** A check of the whole that tells its fault at one field. */
export function needs<Fields extends Record<string, unknown>>(
  field: keyof Fields & string,
  given: (fields: Fields) => boolean,
  message = "is missing",
) {
  return v.rawCheck<Fields>(({ dataset, addIssue }) => {
    if (!dataset.typed || given(dataset.value)) return;
    const input = dataset.value;
    addIssue({
      message,
      path: [{ type: "object", origin: "value", input, key: field, value: input[field] }],
    });
  });
}

export function isNamed({ host, hostname }: Named): boolean {
  return (host ?? hostname) !== undefined;
}

/** Both names are taken, but not two hosts: which of them was meant nobody knows. */
export function namesOneHost({ host, hostname }: Named): boolean {
  return (host ?? hostname)?.toLowerCase() === (hostname ?? host)?.toLowerCase();
}

export function hostOf({ host, hostname }: Named): string {
  return host ?? hostname ?? "";
}
