/** `connection_args` of the driver pyeapi. */
import { readFile } from "node:fs/promises";
import type { DriverTools } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs } from "../shared/account.ts";
import type { EapiAddress, EapiWay } from "../shared/eapi-client.ts";
import { flag, optional, path, port, positiveSeconds, secretLine } from "../shared/fields.ts";

export const defaultTimeoutS = 30;

/** Of `connection_args`, and of `driver_args`, which win. */
export const transportFields = {
  transport: optional(v.picklist(["http", "https"])),
  port: optional(port),
  /** Whether the certificate must be valid: switches make their own, so by default it need not be. */
  verify: optional(flag),
};

const fields = v.object({
  ...accountFields,
  ...transportFields,
  /** Authorities in PEM form, below the key folders. */
  ca_file: optional(path),
  timeout: optional(positiveSeconds),
  enable_password: optional(secretLine),
  secret: optional(secretLine),
  /** `session`: log in once and show a cookie; `basic`: user and password with each request. */
  auth: optional(v.picklist(["basic", "session"])),
  // One system only.
  device_type: optional(v.string()),
});
type Fields = v.InferOutput<typeof fields>;

export const connection = v.pipe(
  fields,
  needs<Fields>("host", isNamed),
  needs<Fields>("hostname", namesOneHost, "differs from host"),
  needs<Fields>("username", ({ username, credential }) => (username ?? credential) !== undefined),
  needs<Fields>("password", ({ password, credential }) => (password ?? credential) !== undefined),
  v.transform((fields) => ({
    ...fields,
    host: hostOf(fields),
    port: fields.port ?? defaultPort(fields.transport),
    givenPort: fields.port,
    timeoutMs: (fields.timeout ?? defaultTimeoutS) * 1000,
    enable: fields.enable_password ?? fields.secret,
    auth: fields.auth ?? "basic",
  })),
);
export type Connection = v.InferOutput<typeof connection>;
export type Tools = DriverTools<Connection, unknown>;

export async function addressOf({ connection, files }: Tools, args: EapiWay): Promise<EapiAddress> {
  const transport = args.transport ?? connection.transport ?? "https";
  const port = args.port ?? connection.givenPort ?? defaultPort(transport);
  const { host, ca_file } = connection;
  const ca = ca_file === undefined ? {} : { ca: await readFile(await files.keyFile(ca_file), "utf8") };
  return {
    base: `${transport}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    tls: { verify: args.verify ?? connection.verify ?? false, ...ca },
  };
}

function defaultPort(transport: "http" | "https" | undefined): number {
  return transport === "http" ? 80 : 443;
}
