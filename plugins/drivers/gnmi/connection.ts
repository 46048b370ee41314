/** `connection_args` of the driver gnmi. */
import type { DriverTools } from "patchbay/plugin";
import * as v from "valibot";
import { accountFields, hostOf, isNamed, namesOneHost, needs } from "../shared/account.ts";
import { line, noMeaning, optional, optionalText, port, positiveSeconds } from "../shared/fields.ts";
import { needsLogin, tlsFields } from "../shared/tls.ts";
import { defaultTimeoutS } from "./args.ts";

/** What IANA has for gNMI; most devices have another one. */
const defaultPort = 9339;

const fields = v.object({
  ...accountFields,
  transport: optional(
    v.picklist(["tls", "insecure"]),
    "`insecure` sends everything in clear, the password included",
    { default: "tls" },
  ),
  port: optional(port, "Often another: 6030 (EOS), 57400 (SR Linux, IOS XR), 50051, 32767", {
    default: defaultPort,
  }),
  ...tlsFields,
  fingerprint: optionalText(
    v.pipe(
      line,
      v.regex(
        /^(?:[Ss][Hh][Aa]256:)?(?:[0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$/,
        "must be a SHA-256 fingerprint: 64 hexadecimal digits",
      ),
    ),
    "SHA-256 of the device's certificate: only that one is accepted, whoever signed it and whatever its name and dates",
    { examples: ["5f".repeat(32)] },
  ),
  tls_name: optionalText(
    v.pipe(line, v.maxLength(253, "is too long")),
    "Name that the certificate must have. Default: the host",
    { examples: ["leaf1.example.net"] },
  ),
  timeout: optional(positiveSeconds, "Seconds for connecting, and for each request", {
    default: defaultTimeoutS,
  }),
  device_type: optional(v.string(), noMeaning),
});
type Fields = v.InferOutput<typeof fields>;

export const connection = v.pipe(
  fields,
  needs<Fields>("host", isNamed),
  needs<Fields>("hostname", namesOneHost, "differs from host"),
  ...needsLogin<Fields>(),
  needs<Fields>(
    "fingerprint",
    ({ fingerprint, verify }) => fingerprint === undefined || verify !== false,
    "is verified: leave verify out",
  ),
  v.transform((fields) => ({
    ...fields,
    host: hostOf(fields),
    transport: fields.transport ?? "tls",
    port: fields.port ?? defaultPort,
    timeoutMs: (fields.timeout ?? defaultTimeoutS) * 1000,
  })),
);
export type Connection = v.InferOutput<typeof connection>;
export type Tools = DriverTools<Connection, unknown>;
