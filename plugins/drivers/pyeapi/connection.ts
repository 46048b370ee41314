/** `connection_args` of the driver pyeapi. */
import { readFile } from "node:fs/promises";
import type { DriverTools } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs } from "../shared/account.ts";
import type { EapiAddress } from "../shared/eos/eapi-client.ts";
import {
  flag,
  noMeaning,
  optional,
  optionalText,
  path,
  port,
  positiveSeconds,
  secretLine,
} from "../shared/fields.ts";

export const defaultTimeoutS = 30;

/** Allowed in `connection_args` and in `driver_args`, which take precedence. */
export const transportFields = {
  transport: optional(v.picklist(["http", "https"]), "Protocol", { default: "https" }),
  port: optional(port, "Default: 443, or 80 for `http`", { examples: [443] }),
  verify: optional(
    flag,
    "Requires a valid certificate; off by default, since switches use self-signed ones",
    {
      default: false,
    },
  ),
};

const fields = v.object({
  ...accountFields,
  ...transportFields,
  ca_file: optionalText(path, "CA certificates for `verify`: a PEM file below `PATCHBAY_KEY_ROOTS`", {
    examples: ["ca.pem"],
  }),
  timeout: optional(positiveSeconds, "Seconds for each request", { default: defaultTimeoutS }),
  enable_password: optional(secretLine, "Password of privileged mode", { examples: ["…"] }),
  secret: optional(secretLine, "Alias of `enable_password`", { examples: ["…"] }),
  auth: optional(
    v.picklist(["basic", "session"]),
    "`basic` sends user name and password with each request. `session` logs in once, sends a cookie and logs out at the end; an expired cookie is renewed once, before any command of the list has run",
    { default: "basic" },
  ),
  // Ignored: the driver has only one platform.
  device_type: optional(v.string(), noMeaning),
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
    timeoutMs: (fields.timeout ?? defaultTimeoutS) * 1000,
    enable: fields.enable_password ?? fields.secret,
    auth: fields.auth ?? "basic",
  })),
);
export type Connection = v.InferOutput<typeof connection>;
export type Tools = DriverTools<Connection, unknown>;

export async function addressOf({ connection, files }: Tools): Promise<EapiAddress> {
  const { host, port, transport = "https", verify = false, ca_file } = connection;
  const ca = ca_file === undefined ? {} : { ca: await readFile(await files.keyFile(ca_file), "utf8") };
  const base = `${transport}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { base, tls: { verify, ...ca } };
}

function defaultPort(transport: "http" | "https" | undefined): number {
  return transport === "http" ? 80 : 443;
}
