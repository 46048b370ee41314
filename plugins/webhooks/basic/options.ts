/** Fields of `options.webhook` for the webhook `basic`. */

import { deliveryDefaults, laxBoolean, laxNumber, secret } from "patchbay/plugin";
import * as v from "valibot";

const httpUrl = v.pipe(
  v.string(),
  v.url("must be a URL"),
  v.regex(/^https?:\/\//i, "must begin with http:// or https://"),
);
const token = v.pipe(v.string(), v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "is not a header name"));
const headerValue = v.pipe(
  v.string(),
  v.maxLength(8_192),
  v.regex(/^[^\r\n\0]*$/, "must not hold line breaks"),
);
/** Headers that the service sets itself. */
const framing = /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer)$/i;
const headers = v.pipe(
  v.record(
    v.pipe(
      token,
      v.check((name) => !framing.test(name), "is set by the service"),
    ),
    headerValue,
  ),
  v.check((headers) => Object.keys(headers).length <= 50, "at most 50 headers"),
);
const secretText = secret(v.pipe(v.string(), v.nonEmpty("must not be empty")));

export const options = v.object({
  name: v.nullish(v.literal("basic"), "basic"),
  url: httpUrl,
  method: v.nullish(v.picklist(["POST", "PUT", "PATCH"]), "POST"),
  headers: v.optional(v.nullable(headers)),
  cookies: v.optional(v.nullable(v.record(token, headerValue))),
  auth: v.optional(v.nullable(v.strictTuple([v.string(), secret(v.string())]))),
  /** Seconds. */
  timeout: v.nullish(v.pipe(laxNumber(), v.minValue(0.5), v.maxValue(120)), deliveryDefaults.timeout),
  max_retries: v.nullish(
    v.pipe(laxNumber(), v.integer(), v.minValue(0), v.maxValue(20)),
    deliveryDefaults.retries,
  ),
  /** Seconds before each retry; the last value applies to further ones. */
  retry_intervals: v.nullish(
    v.pipe(v.array(v.pipe(laxNumber(), v.minValue(0), v.maxValue(86_400))), v.nonEmpty()),
    deliveryDefaults.intervals,
  ),
  secret: v.optional(v.nullable(secretText)),
  events: v.optional(
    v.nullable(
      v.pipe(
        v.array(v.picklist(["job.finished", "job.failed", "job.cancelled"])),
        v.nonEmpty("must not be empty: it would never be told"),
      ),
    ),
  ),
  include_result: v.nullish(laxBoolean(), true),
});
export type WebhookOptions = v.InferOutput<typeof options>;
