/** The requests of NetPulse 0.2's documents, which are stored next to the checkout. */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { shared } from "../../../scripts/testbed/shared.ts";

const operation = v.looseObject({
  driver: v.string(),
  connection_args: v.optional(v.record(v.string(), v.unknown()), {}),
  devices: v.optional(v.array(v.record(v.string(), v.unknown()))),
  command: v.optional(v.union([v.string(), v.array(v.string())])),
  driver_args: v.optional(v.record(v.string(), v.unknown())),
  options: v.optional(v.looseObject({ webhook: v.optional(v.record(v.string(), v.unknown())) })),
});
const request = v.object({ id: v.string(), method: v.string(), path: v.string(), body: v.unknown() });

export type Operation = v.InferOutput<typeof operation>;
export interface Documented {
  readonly id: string;
  readonly path: string;
  readonly body: Operation;
}

export type DocumentedRequest = { readonly id: string; readonly method: string; readonly path: string } & (
  | { readonly driver: string; readonly body: Operation }
  | { readonly driver?: undefined; readonly body: unknown }
);

/** All requests; bodies that are not for a driver are unchanged. */
export function allDocumented(): DocumentedRequest[] {
  return readFileSync(shared("corpora/netpulse/requests.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { id, method, path, body } = v.parse(request, JSON.parse(line));
      const read = v.safeParse(operation, body);
      if (read.success) return { id, method, path, driver: read.output.driver, body: read.output };
      return { id, method, path, body };
    });
}

export function documented(driver: string): Documented[] {
  return allDocumented().flatMap(({ id, path, ...one }) =>
    one.driver === driver ? [{ id, path, body: one.body }] : [],
  );
}

/** The same request for another device, with its webhook sent to `receiver`. Everything else is as documented. */
export function readdressed({ body }: Documented, connection: object, receiver: string): Operation {
  const { connection_args, options } = body;
  const webhook = options?.webhook && { ...options.webhook, url: receiver };
  return {
    ...body,
    connection_args: { ...connection_args, ...connection },
    ...(options === undefined ? {} : { options: { ...options, ...(webhook ? { webhook } : {}) } }),
  };
}

export const commandsOf = ({ command }: Operation): readonly string[] =>
  command === undefined ? [] : [command].flat();
