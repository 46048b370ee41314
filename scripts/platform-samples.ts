/** Reads plugins/platforms/samples: what real devices show, for the tests and for docs/platforms.md. */
import { readdirSync, readFileSync } from "node:fs";
import * as v from "valibot";

const folder = "plugins/platforms/samples";
const texts = v.array(v.string());

/** `kind: where`, several separated by `;`. */
const sourceKinds = ["real", "doc", "thread", "netmiko", "derived"] as const;
const source = v.pipe(
  v.string(),
  v.check(
    (text) => text.split("; ").every((part) => sourceKinds.some((kind) => part.startsWith(`${kind}: `))),
    `must be parts such as "doc: ..." (${sourceKinds.join(", ")})`,
  ),
);

const samplesSchema = v.strictObject({
  /** Where each group was taken from, in own words. */
  sources: v.strictObject({
    prompts: source,
    refusals: v.optional(source),
    pagers: v.optional(source),
    saves: v.optional(source),
    logins: v.optional(source),
  }),
  /** What the system takes in a host name beside letters, digits, `-`, `_` and `.`. */
  hostNameCharacters: v.optional(v.string()),
  /** Prompts by the level that they mean. */
  prompts: v.record(v.string(), texts),
  /** The context that a prompt shows; `null`: none. */
  contexts: v.optional(v.record(v.string(), v.nullable(v.string()))),
  /** Lines of output that are none. */
  notPrompts: v.optional(texts),
  /** Answers to a line that was not taken, and answers that are none of these. */
  refusals: v.optional(texts),
  taken: v.optional(texts),
  /** Answers to a wrong enable password. */
  denied: v.optional(texts),
  /** The last line where an output stops. */
  pagers: v.optional(texts),
  saves: v.optional(v.strictObject({ done: v.optional(texts), failed: v.optional(texts) })),
  /** What is asked between the SSH login and the first prompt, and the answer. */
  logins: v.optional(v.array(v.strictObject({ asks: v.string(), reply: v.string() }))),
});

export type PlatformSamples = v.InferOutput<typeof samplesSchema>;

/** By the platform's name, which is the name of the file. */
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
