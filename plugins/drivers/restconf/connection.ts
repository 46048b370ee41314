/** `connection_args` of the driver restconf. */
import type { DriverTools, TlsOptions } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs } from "../shared/account.ts";
import { noMeaning, optional, optionalText, path, port, positiveSeconds } from "../shared/fields.ts";
import { needsLogin, tlsFields, tlsOf } from "../shared/tls.ts";
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
  ...tlsFields,
  timeout: optional(positiveSeconds, "Seconds for each request", { default: defaultTimeoutS }),
  device_type: optional(v.string(), noMeaning),
});
type Fields = v.InferOutput<typeof fields>;

export const connection = v.pipe(
  fields,
  needs<Fields>("host", isNamed),
  needs<Fields>("hostname", namesOneHost, "differs from host"),
  ...needsLogin<Fields>(),
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
  const { host, port, transport } = connection;
  return {
    base: `${transport}://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`,
    tls: await tlsOf(connection, files),
  };
}
