/** `connection_args` of the driver pyeapi. */
import { readFile } from "node:fs/promises";
import type { DriverTools, TlsOptions } from "patchbay/plugin";
import * as v from "valibot";
import { flag, host, name, optional, path, port, positiveSeconds, secretLine } from "../shared/fields.ts";

export const defaultTimeoutS = 30;

/** Of `connection_args`, and of `driver_args`, which win. */
export const transportFields = {
  transport: optional(v.picklist(["http", "https"])),
  port: optional(port),
  /** Whether the certificate must be valid: switches make their own, so by default it need not be. */
  verify: optional(flag),
};

const fields = v.object({
  host: optional(host),
  hostname: optional(host),
  username: optional(name),
  password: optional(secretLine),
  ...transportFields,
  /** Authorities in PEM form, below the key folders. */
  ca_file: optional(path),
  timeout: optional(positiveSeconds),
  enable_password: optional(secretLine),
  secret: optional(secretLine),
  /** `session`: log in once and show a cookie; `basic`: user and password with each request. */
  auth: optional(v.picklist(["basic", "session"])),
  // Laid over by the service before the driver sees the rest.
  credential: optional(v.record(v.string(), v.unknown())),
  // One system only.
  device_type: optional(v.string()),
});

export const connection = v.pipe(
  fields,
  v.forward(
    v.check(({ host, hostname }) => (host ?? hostname) !== undefined, "is missing"),
    ["host"],
  ),
  v.forward(
    v.check(({ username, credential }) => username !== undefined || credential !== undefined, "is missing"),
    ["username"],
  ),
  v.forward(
    v.check(({ password, credential }) => password !== undefined || credential !== undefined, "is missing"),
    ["password"],
  ),
  v.transform((fields) => ({
    ...fields,
    host: fields.host ?? fields.hostname ?? "",
    port: fields.port ?? defaultPort(fields.transport),
    givenPort: fields.port,
    timeoutMs: (fields.timeout ?? defaultTimeoutS) * 1000,
    enable: fields.enable_password ?? fields.secret,
    auth: fields.auth ?? "basic",
  })),
);
export type Connection = v.InferOutput<typeof connection>;
export type Tools = DriverTools<Connection, unknown>;

export interface Address {
  readonly base: string;
  readonly tls: TlsOptions;
}

interface Overrides {
  readonly transport?: "http" | "https" | undefined;
  readonly port?: number | undefined;
  readonly verify?: boolean | undefined;
}

export async function addressOf({ connection, files }: Tools, args: Overrides): Promise<Address> {
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
