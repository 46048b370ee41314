/** `connection_args` of the driver restconf. */
import { readFile } from "node:fs/promises";
import type { DriverTools, TlsOptions } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs } from "../shared/account.ts";
import { flag, noMeaning, optional, optionalText, path, port, positiveSeconds } from "../shared/fields.ts";
import { isRoot } from "./resources.ts";

export const defaultTimeoutS = 30;

const fields = v.object({
  ...accountFields,
  transport: optional(
    v.picklist(["http", "https"]),
    "Protocol. The standard has `https` only: `http` sends the password in clear",
    { default: "https" },
  ),
  port: optional(port, "Default: 443, or 80 for `http`", { examples: [443] }),
  root: optionalText(
    v.pipe(path, v.check(isRoot, "must be a path such as /restconf")),
    "Root of the API. Default: as the server says at `/.well-known/host-meta`, otherwise `/restconf`",
    { examples: ["/restconf"] },
  ),
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
  timeout: optional(positiveSeconds, "Seconds for each request", { default: 30 }),
  device_type: optional(v.string(), noMeaning),
});
type Fields = v.InferOutput<typeof fields>;

const hasLogin = ({ username, credential, client_cert_file }: Fields) =>
  (username ?? credential ?? client_cert_file) !== undefined;

export const connection = v.pipe(
  fields,
  needs<Fields>("host", isNamed),
  needs<Fields>("hostname", namesOneHost, "differs from host"),
  needs<Fields>("username", hasLogin),
  needs<Fields>(
    "password",
    ({ username, password, credential }) => username === undefined || (password ?? credential) !== undefined,
  ),
  needs<Fields>(
    "client_key_file",
    ({ client_cert_file, client_key_file }) =>
      (client_cert_file === undefined) === (client_key_file === undefined),
    "and client_cert_file need each other",
  ),
  v.transform((fields) => ({
    ...fields,
    host: hostOf(fields),
    transport: fields.transport ?? "https",
    port: fields.port ?? (fields.transport === "http" ? 80 : 443),
    timeoutMs: (fields.timeout ?? defaultTimeoutS) * 1000,
  })),
);
export type Connection = v.InferOutput<typeof connection>;
export type Tools = DriverTools<Connection, unknown>;

export async function addressOf({
  connection,
  files,
}: Tools): Promise<{ readonly base: string; readonly tls: TlsOptions }> {
  const { host, port, transport, verify = true, ca_file, client_cert_file, client_key_file } = connection;
  const read = async (name: string | undefined) =>
    name === undefined ? undefined : readFile(await files.keyFile(name), "utf8");
  const [ca, cert, key] = await Promise.all([ca_file, client_cert_file, client_key_file].map(read));
  return {
    base: `${transport}://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`,
    tls: {
      verify,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
}
