/** `connection_args` of the driver snmp. */
import { type DriverTools, laxNumber, secret } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs } from "../shared/account.ts";
import { line, noMeaning, optional, optionalText, port, positiveSeconds } from "../shared/fields.ts";

const { username: _username, password: _password, ...place } = accountFields;
const secretWord = secret(v.pipe(line, v.nonEmpty("must not be empty"), v.maxLength(1024, "is too long")));

/** Passwords of the user-based security model have at least eight characters (RFC 3414, section 11.2). */
const leastPassword = 8;
const passphrase = secret(
  v.pipe(
    line,
    v.minLength(leastPassword, `must have at least ${leastPassword} characters`),
    v.maxLength(1024, "is too long"),
  ),
);
const user = v.pipe(
  line,
  v.nonEmpty("must not be empty"),
  v.maxLength(32, "must have at most 32 characters"),
);

const defaultPort = 161;
/** For each answer. */
const defaultTimeoutS = 5;
const defaultRepeats = 2;

const fields = v.object({
  ...place,
  port: optional(port, "UDP port of the agent", { default: defaultPort }),
  version: optional(
    v.picklist(["2c", "3"]),
    "Version of SNMP. Default: 3 if there is a `username`, otherwise 2c",
    { examples: ["3"] },
  ),
  community: optionalText(
    secretWord,
    "Community of 2c. May come from a `credential`, as its `password` may",
    {
      examples: ["…"],
    },
  ),
  username: optionalText(user, "User of version 3", { examples: ["monitor"] }),
  password: optionalText(secretWord, "Password of the user, for `auth_protocol`. Of 2c: the community", {
    examples: ["…"],
  }),
  auth_protocol: optional(
    v.picklist(["none", "md5", "sha", "sha224", "sha256", "sha384", "sha512"]),
    "Digest of version 3. Default: `sha256` with a password, otherwise `none`",
    { examples: ["sha512"] },
  ),
  priv_protocol: optional(
    v.picklist(["none", "des", "aes", "aes256b", "aes256r"]),
    "Cipher of version 3: `aes` is AES-128 (RFC 3826); `aes256b` and `aes256r` are the drafts of Blumenthal and Reeder (Cisco). Default: `aes` with `priv_password`, otherwise `none`",
    { examples: ["aes"] },
  ),
  priv_password: optionalText(passphrase, "Password of the cipher", {
    examples: ["…".repeat(leastPassword)],
  }),
  context: optionalText(v.pipe(line, v.maxLength(255, "is too long")), "Context of version 3", {
    examples: ["vrf-1"],
  }),
  timeout: optional(positiveSeconds, "Seconds for each answer, before the request is repeated", {
    default: defaultTimeoutS,
  }),
  repeats: optional(
    v.pipe(laxNumber(), v.integer(), v.minValue(0), v.maxValue(10)),
    "How often a request without an answer is sent again. A `set` is sent once",
    { default: defaultRepeats },
  ),
  device_type: optional(v.string(), noMeaning),
});
type Fields = v.InferOutput<typeof fields>;

const isV3 = ({ version, username }: Fields) =>
  version === "3" || (version === undefined && username !== undefined);

export const connection = v.pipe(
  fields,
  needs<Fields>("host", isNamed),
  needs<Fields>("hostname", namesOneHost, "differs from host"),
  needs<Fields>(
    "community",
    (fields) => isV3(fields) || (fields.community ?? fields.password ?? fields.credential) !== undefined,
  ),
  needs<Fields>(
    "username",
    (fields) => !isV3(fields) || (fields.username ?? fields.credential) !== undefined,
  ),
  needs<Fields>(
    "password",
    ({ auth_protocol = "none", password, credential }) =>
      auth_protocol === "none" || (password ?? credential) !== undefined,
  ),
  needs<Fields>(
    "password",
    (fields) => !isV3(fields) || (fields.password?.reveal().length ?? leastPassword) >= leastPassword,
    `must have at least ${leastPassword} characters`,
  ),
  needs<Fields>(
    "priv_password",
    ({ priv_protocol = "none", priv_password, credential }) =>
      priv_protocol === "none" || (priv_password ?? credential) !== undefined,
  ),
  needs<Fields>(
    "priv_password",
    (fields) =>
      fields.priv_password === undefined ||
      (fields.auth_protocol !== "none" && (fields.password ?? fields.credential) !== undefined),
    "needs a password, too: there is no encryption without authentication",
  ),
  v.transform((fields) => ({
    ...fields,
    host: hostOf(fields),
    port: fields.port ?? defaultPort,
    version: isV3(fields) ? ("3" as const) : ("2c" as const),
    community: fields.community ?? fields.password,
    timeoutMs: (fields.timeout ?? defaultTimeoutS) * 1000,
    repeats: fields.repeats ?? defaultRepeats,
  })),
);
export type Connection = v.InferOutput<typeof connection>;
export type Tools = DriverTools<Connection, unknown>;
