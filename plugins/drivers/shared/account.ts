/** Host and login fields common to the connections of all drivers, with their validation. */
import * as v from "valibot";
import {
  certificateLine,
  flag,
  host,
  name,
  optional,
  optionalText,
  path,
  secretLine,
  secretText,
} from "./fields.ts";

export const accountFields = {
  host: optional(host, "Name or address of the device; required, by this name or `hostname`", {
    examples: ["192.0.2.1"],
  }),
  hostname: optional(host, "Another name of `host`", { examples: ["192.0.2.1"] }),
  username: optional(name, "Required, unless a `credential` brings it", { examples: ["admin"] }),
  password: optional(secretLine, "A `credential` may bring it", { examples: ["…"] }),
  // The service merges the resolved fields before the driver sees them.
  credential: optional(v.record(v.string(), v.unknown()), "Where the secrets come from, in place of them", {
    examples: [{ name: "vault_kv", path: "core/r1" }],
  }),
};

/** SSH login methods besides a password, and server checks. */
export const sshFields = {
  key_filename: optionalText(path, "A private key: a file below `PATCHBAY_KEY_ROOTS`", {
    examples: ["ops/id_ed25519"],
  }),
  pkey: optionalText(secretText, "A private key as text: RSA, ED25519 or ECDSA, as OpenSSH, PEM or PKCS#8", {
    examples: ["-----BEGIN OPENSSH PRIVATE KEY-----…"],
  }),
  passphrase: optionalText(secretLine, "Of the private key", { examples: ["…"] }),
  certificate: optionalText(
    certificateLine,
    "OpenSSH's certificate of that key: the line of its `…-cert.pub`. A file beside `key_filename` that is called so is taken by itself",
    { examples: ["ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5"] },
  ),
  allow_agent: optional(flag, "The agent at `PATCHBAY_AGENT_SOCKET`, where the operator set it", {
    default: false,
  }),
  host_key_policy: optional(
    v.picklist(["auto_add", "warning", "reject"]),
    "`auto_add` learns an unknown key and refuses a changed one, `warning` takes both with a warning in the job, `reject` takes known ones only; the same on every hop",
    { default: "auto_add" },
  ),
  ssh_profile: optional(
    v.picklist(["modern", "legacy"]),
    "`legacy` adds the algorithms of old devices, `modern` takes them away. Default: as the platform needs it, else `modern`",
  ),
};

interface Named {
  readonly host?: string | undefined;
  readonly hostname?: string | undefined;
}

/** A check across fields that reports its fault at one of them. */
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

/** Both names are accepted, but not two different hosts, since the intended one is unclear. */
export function namesOneHost({ host, hostname }: Named): boolean {
  return (host ?? hostname)?.toLowerCase() === (hostname ?? host)?.toLowerCase();
}

export function hostOf({ host, hostname }: Named): string {
  return host ?? hostname ?? "";
}
