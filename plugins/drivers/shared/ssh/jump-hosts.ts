/** Jump hosts of a connection: one in the `proxy_…` fields, or a list in `proxy_host`. */
import type { FilesKit, SshTarget } from "patchbay/plugin";
import * as v from "valibot";
import {
  certificateLine,
  host,
  name,
  optional,
  optionalText,
  path,
  port,
  secretLine,
  secretText,
} from "../fields.ts";
import { readKeys } from "./keys.ts";
import { answerFields, answersOf } from "./login-answers.ts";

export const maxHops = 8;

const hop = v.object({
  host,
  port: optional(port),
  username: optionalText(name),
  password: optionalText(secretLine),
  key_filename: optionalText(path),
  pkey: optionalText(secretText),
  passphrase: optionalText(secretLine),
  certificate: optionalText(certificateLine),
  ...answerFields,
});

/** Fields of `connection_args`. */
export const jumpHostFields = {
  proxy_host: optionalText(
    v.union([
      host,
      v.pipe(v.array(hop), v.nonEmpty("must not be empty"), v.maxLength(maxHops, "has too many hops")),
    ]),
    'A jump host, or a list of up to 8, nearest first: `{"host", "port", "username", "password", "key_filename", "pkey", "passphrase", "certificate", "otp", "answers"}`',
    { examples: ["jump.example"] },
  ),
  proxy_port: optional(port, "Port of the jump host", { default: 22 }),
  proxy_username: optionalText(name, "User name on the jump host. Default: the device's", {
    examples: ["ops"],
  }),
  proxy_password: optionalText(secretLine, "Password on the jump host", { examples: ["…"] }),
  proxy_key_filename: optionalText(path, "Path of the jump host's private key, below `PATCHBAY_KEY_ROOTS`", {
    examples: ["ops/id_ed25519"],
  }),
  proxy_pkey: optionalText(secretText, "The jump host's private key as text", {
    examples: ["-----BEGIN OPENSSH PRIVATE KEY-----…"],
  }),
  proxy_passphrase: optionalText(secretLine, "Passphrase of the jump host's private key", {
    examples: ["…"],
  }),
  proxy_certificate: optionalText(certificateLine, "OpenSSH certificate of the jump host's private key", {
    examples: ["ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5"],
  }),
  proxy_otp: optionalText(secretLine, "`otp` for the jump host", { examples: ["…"] }),
  proxy_answers: optional(answerFields.answers, "`answers` for the jump host", {
    examples: [{ "Passcode or option": "1" }],
  }),
};

const fields = v.object(jumpHostFields);
type Fields = v.InferOutput<typeof fields>;
/** From a request or an ssh_config. */
export type JumpHost = Partial<v.InferOutput<typeof hop>> & {
  readonly host: string;
  /** Additional key files below the key folders. */
  readonly key_filenames?: readonly string[];
};

/** Nearest first. */
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
      certificate: proxyFields.proxy_certificate,
      otp: proxyFields.proxy_otp,
      answers: proxyFields.proxy_answers,
    },
  ];
}

/** For the manifest: the jump hosts as the request names them. */
export function hopsOf({ proxy_host, proxy_username }: Readonly<Record<string, unknown>>): Hop[] {
  if (proxy_host === "") return [];
  if (typeof proxy_host === "string") return [hopAt("proxy_host", proxy_host, proxy_username)];
  if (!Array.isArray(proxy_host)) return [];
  return proxy_host.flatMap((entry: unknown, at) =>
    typeof entry === "object" && entry !== null && "host" in entry && typeof entry.host === "string"
      ? [hopAt(`proxy_host.${at}.host`, entry.host, Reflect.get(entry, "username"))]
      : [],
  );
}

interface Hop {
  field: string;
  host: string;
  username?: string;
}

function hopAt(field: string, host: string, username: unknown): Hop {
  return typeof username === "string" && username !== "" ? { field, host, username } : { field, host };
}

type Common = Omit<SshTarget, "host" | "port" | "username" | "password" | "keys" | "agent" | "via">;

/** Credentials of a hop without its own login: never the password of the target. */
interface OwnLogin {
  readonly discover: boolean;
  readonly agent: boolean;
}

/**
 * @param common settings for every hop: timeouts, host key policy, algorithms
 * @param username of the target, and of hops that name none
 */
export async function throughHops(
  files: FilesKit,
  hops: readonly JumpHost[],
  username: string,
  common: Common,
  { discover, agent }: OwnLogin = { discover: false, agent: false },
): Promise<SshTarget | undefined> {
  let via: SshTarget | undefined;
  for (const { host, port, password, key_filename, pkey, passphrase, certificate, ...more } of hops) {
    const paths = [...(key_filename === undefined ? [] : [key_filename]), ...(more.key_filenames ?? [])];
    const isBare = password === undefined && pkey === undefined && paths.length === 0;
    via = {
      ...common,
      host,
      port: port ?? 22,
      username: more.username ?? username,
      keys: await readKeys(files, {
        paths,
        pem: pkey,
        passphrase,
        certificate,
        discover: discover && isBare,
      }),
      agent: agent && password === undefined && pkey === undefined && key_filename === undefined,
      ...(password === undefined ? {} : { password }),
      ...answersOf(more, "connection_args.proxy_answers"),
      ...(via === undefined ? {} : { via }),
    };
  }
  return via;
}
