/** Jump hosts of a connection: one in `proxy_…` fields, or several as a list in `proxy_host`. */
import type { FilesKit, SshTarget } from "patchbay/plugin";
import * as v from "valibot";
import { host, name, optional, path, port, secretLine, secretText } from "./fields.ts";
import { readKeys } from "./keys.ts";

const mostHops = 8;

const hop = v.object({
  host,
  port: optional(port),
  username: optional(name),
  password: optional(secretLine),
  key_filename: optional(path),
  pkey: optional(secretText),
  passphrase: optional(secretLine),
});

/** Fields of `connection_args`. */
export const jumpHostFields = {
  proxy_host: optional(
    v.union([
      host,
      v.pipe(v.array(hop), v.nonEmpty("must not be empty"), v.maxLength(mostHops, "has too many hops")),
    ]),
  ),
  proxy_port: optional(port),
  proxy_username: optional(name),
  proxy_password: optional(secretLine),
  proxy_key_filename: optional(path),
  proxy_pkey: optional(secretText),
  proxy_passphrase: optional(secretLine),
};

const fields = v.object(jumpHostFields);
type Fields = v.InferOutput<typeof fields>;
export type JumpHost = v.InferOutput<typeof hop>;

/** The nearest first. */
export function jumpHosts(proxyFields: Fields): readonly JumpHost[] {
  const { proxy_host } = proxyFields;
  if (proxy_host === undefined) return [];
  if (typeof proxy_host !== "string") return proxy_host;
  return [
    {
      host: proxy_host,
      port: proxyFields.proxy_port,
      username: proxyFields.proxy_username,
      password: proxyFields.proxy_password,
      key_filename: proxyFields.proxy_key_filename,
      pkey: proxyFields.proxy_pkey,
      passphrase: proxyFields.proxy_passphrase,
    },
  ];
}

/** For the manifest: whom a connection passes, as the request wrote it. */
export function hopsOf({ proxy_host }: Readonly<Record<string, unknown>>): { field: string; host: string }[] {
  if (typeof proxy_host === "string") return [{ field: "proxy_host", host: proxy_host }];
  if (!Array.isArray(proxy_host)) return [];
  return proxy_host.flatMap((entry: unknown, at) =>
    typeof entry === "object" && entry !== null && "host" in entry && typeof entry.host === "string"
      ? [{ field: `proxy_host.${at}.host`, host: entry.host }]
      : [],
  );
}

type Common = Omit<SshTarget, "host" | "port" | "username" | "password" | "keys" | "agent" | "via">;

/**
 * @param common what holds for every hop: times, policy of host keys, algorithms
 * @param username of the target, and of each hop that names none
 */
export async function throughHops(
  files: FilesKit,
  hops: readonly JumpHost[],
  username: string,
  common: Common,
): Promise<SshTarget | undefined> {
  let via: SshTarget | undefined;
  for (const { host, port, password, key_filename, pkey, passphrase, ...more } of hops) {
    via = {
      ...common,
      host,
      port: port ?? 22,
      username: more.username ?? username,
      keys: await readKeys(files, { path: key_filename, pem: pkey, passphrase, discover: false }),
      ...(password === undefined ? {} : { password }),
      ...(via === undefined ? {} : { via }),
    };
  }
  return via;
}
