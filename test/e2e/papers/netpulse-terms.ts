/** The same request in the terms of NetPulse 0.4. */
import * as v from "valibot";

export function newerPath(path: string): string {
  return path
    .replace("/device/execute", "/device/exec")
    .replace("/device/test-connection", "/device/test")
    .replace(/^\/(job|worker)\?(?:id|name)=([^&]*)$/, "/$1s/$2")
    .replace(/^\/(job|worker)(?=\?|$)/, "/$1s");
}

/** Options next to `driver`, as in version 0.4. */
export function flat(body: unknown): unknown {
  const read = v.safeParse(v.looseObject({ driver: v.string(), options: v.looseObject({}) }), body);
  if (!read.success) return body;
  const { options, ...rest } = read.output;
  const { ttl, ...others } = options;
  return { ...rest, ...others, ...(ttl === undefined ? {} : { execution_timeout: ttl }) };
}
