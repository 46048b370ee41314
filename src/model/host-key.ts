/** Host keys of devices, as in GET /host-key. */
import * as v from "valibot";
import { laxNumber } from "../base/lax.ts";

export interface HostKeyRecord {
  host: string;
  port: number;
  /** The jump hosts on the way, nearest first; a key learned through them is valid only there. */
  via: string[];
  type: string;
  fingerprint: string;
  /** When it was first seen or accepted. */
  seen_at: string;
  /** The key that the host presented last in place of this one. */
  offered: { type: string; fingerprint: string; seen_at: string } | null;
}

const port = v.optional(v.nullable(v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(65_535))));

/** Body of POST /host-key/{host}/accept. */
export const acceptedHostKey = v.strictObject({
  fingerprint: v.pipe(
    v.string(),
    v.regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, "must be a fingerprint as ssh-keygen -l prints it: SHA256:…"),
  ),
  port,
});
