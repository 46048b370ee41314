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
import { answerFields } from "./ssh/login-answers.ts";

export const accountFields = {
  host: optional(host, "Host name or address of the device. `host` or `hostname` is required", {
    examples: ["192.0.2.1"],
  }),
  hostname: optional(host, "Alias of `host`", { examples: ["192.0.2.1"] }),
  username: optional(name, "Required unless a `credential` supplies it", { examples: ["admin"] }),
  password: optional(secretLine, "May come from a `credential`", { examples: ["…"] }),
  // The service merges the resolved fields before the driver sees them.
  credential: optional(
    v.record(v.string(), v.unknown()),
    "A credential source that supplies the secrets instead",
    {
      examples: [{ name: "vault_kv", path: "core/r1" }],
    },
  ),
};

/** SSH login methods besides a password, and server checks. */
export const sshFields = {
  ...answerFields,
  key_filename: optionalText(path, "Path of a private key file below `PATCHBAY_KEY_ROOTS`", {
    examples: ["ops/id_ed25519"],
  }),
  pkey: optionalText(
    secretText,
    "Private key as text: RSA, Ed25519 or ECDSA, in OpenSSH, PEM or PKCS#8 format",
    {
      examples: ["-----BEGIN OPENSSH PRIVATE KEY-----…"],
    },
  ),
  passphrase: optionalText(secretLine, "Passphrase of the private key", { examples: ["…"] }),
  certificate: optionalText(
    certificateLine,
    "OpenSSH certificate of that key: the line of its `…-cert.pub`. For `key_filename`, a `…-cert.pub` file next to the key is used automatically",
    { examples: ["ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5"] },
  ),
  allow_agent: optional(flag, "Uses the SSH agent at `PATCHBAY_AGENT_SOCKET`, if the operator set it", {
    default: false,
  }),
  host_key_policy: optional(
    v.picklist(["auto_add", "warning", "reject"]),
    "`auto_add` stores an unknown key and rejects a changed one; `warning` accepts both and adds a warning to the job; `reject` accepts known keys only. Applies to every hop",
    { default: "auto_add" },
  ),
  ssh_profile: optional(
    v.picklist(["modern", "legacy"]),
    "`legacy` adds the algorithms of old devices, `modern` excludes them. Default: the platform's, else `modern`",
  ),
};

interface Named {
  readonly host?: string | undefined;
  readonly hostname?: string | undefined;
}

/** A check across fields that reports its fault at one of them. */
export function needs<Fields extends Record<string, unknown>>(
  field: keyof Fields & string,
  isGiven: (fields: Fields) => boolean,
  message = "is missing",
) {
  return v.rawCheck<Fields>(({ dataset, addIssue }) => {
    if (!dataset.typed || isGiven(dataset.value)) return;
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
