/** TLS of drivers that are clients of a server on the device: fields, and the files they name. */
import { readFile } from "node:fs/promises";
import type { FilesKit, TlsOptions } from "patchbay/plugin";
import { needs } from "./account.ts";
import { flag, optional, optionalText, path } from "./fields.ts";

export const tlsFields = {
  verify: optional(flag, "Requires a valid certificate. `false` accepts any, also that of an impostor", {
    default: true,
  }),
  ca_file: optionalText(path, "CA certificates for `verify`: a PEM file below `PATCHBAY_KEY_ROOTS`", {
    examples: ["ca.pem"],
  }),
  client_cert_file: optionalText(
    path,
    "Client certificate, in place of a password or beside it: a PEM file below `PATCHBAY_KEY_ROOTS`",
    { examples: ["ops.crt"] },
  ),
  client_key_file: optionalText(path, "Its private key: a PEM file below `PATCHBAY_KEY_ROOTS`", {
    examples: ["ops.key"],
  }),
};

interface TlsFields {
  readonly verify?: boolean | undefined;
  readonly ca_file?: string | undefined;
  readonly client_cert_file?: string | undefined;
  readonly client_key_file?: string | undefined;
}

/** A client certificate or a login, and of either both parts. */
export function needsLogin<
  Fields extends Record<string, unknown> &
    TlsFields & { readonly username?: unknown; readonly password?: unknown; readonly credential?: unknown },
>() {
  return [
    needs<Fields>(
      "username",
      ({ username, credential, client_cert_file }) =>
        (username ?? credential ?? client_cert_file) !== undefined,
    ),
    needs<Fields>(
      "password",
      ({ username, password, credential }) =>
        username === undefined || (password ?? credential) !== undefined,
    ),
    needs<Fields>(
      "client_key_file",
      ({ client_cert_file, client_key_file }) =>
        (client_cert_file === undefined) === (client_key_file === undefined),
      "and client_cert_file need each other",
    ),
  ] as const;
}

export async function tlsOf(
  { verify = true, ca_file, client_cert_file, client_key_file }: TlsFields,
  files: FilesKit,
): Promise<TlsOptions> {
  const read = async (name: string | undefined) =>
    name === undefined ? undefined : readFile(await files.keyFile(name), "utf8");
  const [ca, cert, key] = await Promise.all([ca_file, client_cert_file, client_key_file].map(read));
  return {
    verify,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
