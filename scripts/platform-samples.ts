/** Reads plugins/platforms/samples: output of real devices, for the tests and docs/reference/platforms.md. */
import { readdirSync, readFileSync } from "node:fs";
import * as v from "valibot";

const folder = "plugins/platforms/samples";
const texts = v.array(v.string());

/** `kind: origin`, several separated by `;`. */
const sourceKinds = ["real", "doc", "thread", "netmiko", "derived"] as const;
const source = v.pipe(
  v.string(),
  v.check(
    (text) => text.split("; ").every((part) => sourceKinds.some((kind) => part.startsWith(`${kind}: `))),
    `must be parts such as "doc: ..." (${sourceKinds.join(", ")})`,
  ),
);

const samplesSchema = v.strictObject({
  /** The source of each group. */
  sources: v.strictObject({
    prompts: source,
    refusals: v.optional(source),
    pagers: v.optional(source),
    saves: v.optional(source),
    logins: v.optional(source),
  }),
  /** Characters allowed in host names besides letters, digits, `-`, `_` and `.`. */
  hostNameCharacters: v.optional(v.string()),
  /** Prompts by privilege level. */
  prompts: v.record(v.string(), texts),
  /** Configuration context shown by a prompt; `null`: none. */
  contexts: v.optional(v.record(v.string(), v.nullable(v.string()))),
  /** Lines of output that are not prompts. */
  notPrompts: v.optional(texts),
  /** Error responses to a rejected line, and responses that are not errors. */
  refusals: v.optional(texts),
  taken: v.optional(texts),
  /** Responses to a wrong enable password. */
  denied: v.optional(texts),
  /** The last line when output is paused. */
  pagers: v.optional(texts),
  saves: v.optional(v.strictObject({ done: v.optional(texts), failed: v.optional(texts) })),
  /** Questions between the SSH login and the first prompt, with the reply. */
  logins: v.optional(v.array(v.strictObject({ asks: v.string(), reply: v.string() }))),
});

export type PlatformSamples = v.InferOutput<typeof samplesSchema>;

/** By platform name, which is the file name. */
export function readPlatformSamples(): ReadonlyMap<string, PlatformSamples> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort();
  return new Map(
    files.map((file) => [
      file.slice(0, -".json".length),
      v.parse(samplesSchema, JSON.parse(readFileSync(`${folder}/${file}`, "utf8"))),
    ]),
  );
}
