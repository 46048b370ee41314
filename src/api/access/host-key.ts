/** Host keys of devices, as in GET /host-key. */
import * as v from "valibot";
import { laxNumber } from "../../base/json/lax.ts";
import { described, field, integer, moment, named, text, texts } from "../schema.ts";

const keyOfHost = { type: text, fingerprint: text, seen_at: moment };

export const hostKeyRecord = named(
  "HostKey",
  v.object({
    host: text,
    port: integer,
    via: described(
      texts,
      "Jump hosts on the way, nearest first; a key learned through them is valid only there",
    ),
    ...keyOfHost,
    offered: described(
      v.nullable(v.object(keyOfHost)),
      "The key that the host presented last in place of this one",
    ),
  }),
);
export type HostKeyRecord = v.InferOutput<typeof hostKeyRecord>;

export const forgottenHostKeys = named("ForgottenHostKeys", v.object({ host: text, forgotten: integer }));

const port = described(
  field(v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(65_535))),
  "Port of the device; default 22",
);

/** Body of POST /host-key/{host}/accept. */
export const acceptedHostKey = named(
  "AcceptedHostKey",
  v.strictObject({
    fingerprint: v.pipe(
      v.string(),
      v.regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, "must be a fingerprint as ssh-keygen -l prints it: SHA256:…"),
      v.description("As `ssh-keygen -l` prints it: `SHA256:…`"),
    ),
    port,
  }),
);
