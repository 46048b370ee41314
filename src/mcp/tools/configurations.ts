/** Tools that read the configurations that the service keeps, with secrets as marks. */
import * as v from "valibot";
import { driftStates } from "../../api/intent/intent.ts";
import { isoMoment } from "../../api/jobs/beginning.ts";
import { described } from "../../api/schema.ts";
import { configurationParts } from "../../base/configuration-parts.ts";
import { ServiceError } from "../../base/errors.ts";
import type { VersionChoice } from "../../history/port.ts";
import { cutText } from "../marking.ts";
import { deviceName, most, reads, requireHistory, selector, tool, untrustedWord } from "../tool.ts";

const version = described(v.pipe(v.number(), v.integer(), v.minValue(1)), "Number of a version");
const at = described(isoMoment, "The newest good version at this time, ISO 8601 with offset");
const part = v.optional(v.picklist(configurationParts), "running");
const ofHistory = "Needs the right `history`. Secrets are shown as marks.";

function choiceOf(
  part: VersionChoice["part"],
  number: number | undefined,
  moment: string | undefined,
): VersionChoice {
  if (number !== undefined && moment !== undefined)
    throw new ServiceError("BadRequest", "Give a version or a time, not both.");
  if (number !== undefined) return { part, version: number };
  return moment === undefined ? { part } : { part, at: Date.parse(moment) };
}

const versionShown = v.object({
  version: v.number(),
  taken_at: v.string(),
  last_seen_at: v.string(),
  lines: v.number(),
});
const shownVersion = ({ version, taken_at, last_seen_at, lines }: v.InferOutput<typeof versionShown>) => ({
  ...{ version, taken_at, last_seen_at, lines },
});

export const config = tool({
  name: "config",
  title: "Read a configuration",
  description: `Reads the newest configuration of a device that the service keeps, or an earlier version, in pieces of ${most.output} characters. ${ofHistory}`,
  annotations: reads,
  input: v.strictObject({
    device: deviceName,
    part,
    version: v.optional(version),
    at: v.optional(at),
    offset: v.optional(
      described(v.pipe(v.number(), v.integer(), v.minValue(0)), "`next_offset` of the answer before"),
      0,
    ),
  }),
  output: v.object({
    ...versionShown.entries,
    next_offset: described(v.nullable(v.number()), "Where the text goes on; null: this is its end"),
    untrusted: described(v.object({ text: v.string() }), untrustedWord),
  }),
  async run({ device, part, version, at, offset }, { acting }, { history }) {
    requireHistory(acting);
    const found = await history.text(device, choiceOf(part, version, at), acting);
    const rest = found.text.slice(offset, offset + most.output + 1);
    const end = rest.length > most.output ? offset + most.output : null;
    return {
      ...shownVersion(found.version),
      next_offset: end,
      untrusted: { text: rest.slice(0, most.output) },
    };
  },
});

export const configDiff = tool({
  name: "config_diff",
  title: "Compare configurations",
  description: `Compares two versions of the configuration of a device, or of two devices, as unified difference. Default: the newest good version with the one before. ${ofHistory}`,
  annotations: reads,
  input: v.strictObject({
    device: deviceName,
    part,
    from: v.optional(version),
    from_at: v.optional(at),
    to: v.optional(version),
    to_at: v.optional(at),
    other: v.optional(described(deviceName, "The device of `to`, if it is another one")),
  }),
  output: v.object({
    from: versionShown,
    to: versionShown,
    equal: v.boolean(),
    untrusted: described(
      v.object({ difference: v.string(), cut_from: v.exactOptional(v.number()) }),
      untrustedWord,
    ),
  }),
  async run({ device, part, from, from_at, to, to_at, other }, { acting, signal, charge }, { history }) {
    requireHistory(acting);
    charge(searchCost / 4);
    const begin = from === undefined && from_at === undefined ? undefined : choiceOf(part, from, from_at);
    const choices = { from: begin, to: choiceOf(part, to, to_at), ...(other === undefined ? {} : { other }) };
    const answer = await history.difference(device, choices, "unified", acting, signal);
    const unified = answer.unified ?? "";
    const { text, cut_from } = cutText(unified, most.output);
    return {
      from: shownVersion(answer.from),
      to: shownVersion(answer.to),
      equal: unified === "",
      untrusted: { difference: text, ...(cut_from === undefined ? {} : { cut_from }) },
    };
  },
});

/** As of a search over the API. */
const searchCost = 20;
const mostHits = 20;

export const configSearch = tool({
  name: "config_search",
  title: "Search configurations",
  description: `Searches the running configurations of all devices that this key may reach, for a part of a line or an expression (RE2). ${ofHistory}`,
  annotations: reads,
  input: v.strictObject({
    text: v.optional(described(v.pipe(v.string(), v.minLength(1), v.maxLength(500)), "A part of a line")),
    regex: v.optional(
      described(v.pipe(v.string(), v.minLength(1), v.maxLength(500)), "An expression; this or `text`"),
    ),
    section: v.optional(
      described(
        v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
        "An expression: only lines that match it, and those below them",
      ),
    ),
    ever: v.optional(described(v.boolean(), "In all good versions, not in the newest only"), false),
    select: v.optional(selector),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50)), 20),
    cursor: v.optional(v.pipe(v.string(), v.maxLength(2_000))),
  }),
  output: v.object({
    next: v.nullable(v.string()),
    untrusted: described(
      v.object({
        devices: v.array(
          v.object({
            device: v.string(),
            version: v.number(),
            total: described(v.number(), "Lines that match"),
            lines: v.array(v.object({ line: v.number(), text: v.string(), below: v.array(v.string()) })),
          }),
        ),
      }),
      untrustedWord,
    ),
  }),
  async run({ text, limit, cursor, ...query }, { acting, signal, charge }, { history }) {
    requireHistory(acting);
    charge(searchCost);
    const { items, next } = await history.search({ ...query, q: text }, acting, { limit, cursor, signal });
    const devices = items.map(({ version, total, hits }) => ({
      ...{ device: version.device, version: version.version, total },
      lines: hits.slice(0, mostHits).map((hit) => ({
        ...{ line: hit.line, text: cutText(hit.text, 1_000).text },
        below: hit.parents.map((parent) => cutText(parent.text, 200).text),
      })),
    }));
    return { next: next ?? null, untrusted: { devices } };
  },
});

/** Text of one answer; what a device differs in may be long. */
const mostDrift = 60_000;

export const drift = tool({
  name: "drift",
  title: "Compare with the intent",
  description: `Lists where configurations differ from what they should be, by device and intent; with \`device\`, what differs there and the lines that would mend it. ${ofHistory}`,
  annotations: reads,
  input: v.strictObject({
    device: v.optional(deviceName),
    select: v.optional(selector),
    intent: v.optional(described(v.pipe(v.string(), v.minLength(1), v.maxLength(128)), "Name of an intent")),
    state: v.optional(v.picklist(driftStates)),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(200)), 50),
    cursor: v.optional(v.pipe(v.string(), v.maxLength(2_000))),
  }),
  output: v.object({
    next: v.nullable(v.string()),
    untrusted: described(
      v.object({
        found: v.array(v.unknown()),
        text: v.exactOptional(described(v.string(), "In place of `found`: the beginning of its JSON text")),
        cut_from: v.exactOptional(v.number()),
      }),
      untrustedWord,
    ),
  }),
  async run({ device, limit, cursor, ...filter }, { acting, signal, charge }, { drift }) {
    requireHistory(acting);
    charge(searchCost / 4);
    const { items, next } =
      device === undefined
        ? await drift.page(filter, acting, { limit, cursor, signal })
        : { items: await drift.device(device, filter.intent, acting, signal), next: undefined };
    const text = JSON.stringify(items);
    if (text.length <= mostDrift)
      return { next: next ?? null, untrusted: { found: items.map((one): unknown => one) } };
    return { next: next ?? null, untrusted: { found: [] as unknown[], ...cutText(text, most.output) } };
  },
});
