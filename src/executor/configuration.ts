/** Reads a device's configuration from the outputs of its commands: cleaned, judged, masked and packed. */
import { type ConfigurationPart, historyLimits } from "../api/history/history.ts";
import { ServiceError, toErrorData } from "../base/errors.ts";
import { isRecord } from "../base/json/members.ts";
import { type ReadInput, readConfiguration } from "../configtext/read.ts";
import { maskDifference } from "../configtext/secrets/mask-difference.ts";
import { fingerprintWith } from "../configtext/secrets/secrets.ts";
import type { Context, DriverPlugin, Outputs, Session } from "../plugin/index.ts";
import type { ReadPart, ReadTextsTask, RestoredView, ShownConfiguration } from "../protocol/task.ts";
import type { Registry } from "../registry/registry.ts";
import { packText } from "../runtime/text-pack.ts";

/**
 * One per part that the device has shown; a part beside the running configuration that is not whole is left out with a
 * warning.
 * @throws ServiceError DriverError: nothing was shown; OutputTooLarge
 */
export function readParts(
  shown: ShownConfiguration,
  outputs: Outputs,
  {
    plugin,
    registry,
    session,
    ctx,
  }: { plugin: DriverPlugin; registry: Registry; session: Session; ctx: Context },
): ReadPart[] {
  const { markKey, previous } = shown;
  const find = (name: string) => registry.get("platform", name);
  const query = plugin.shows?.({ ...shown, platform: session.platform ?? shown.platform, find });
  if (query === undefined) throw nothing(plugin.name, "the driver knows no way to show it");
  const texts = query.textsOf(outputs.map(({ output, error }) => (error === undefined ? output : undefined)));
  const missing = query.parts.filter((part) => !texts.some((text) => text.part === part));
  const refusal = outputs.find(({ error }) => error !== undefined)?.error;
  if (texts.length === 0 || (refusal !== undefined && missing.includes("running")))
    throw refusal ?? nothing(plugin.name, "the device showed no text");
  for (const part of refusal === undefined ? [] : missing)
    ctx.warn(`the ${part} configuration was not shown: ${withoutOutput(refusal).message}`);
  const fingerprint = fingerprintWith(markKey);
  const parts: ReadPart[] = [];
  for (const { part, command, text, modules } of texts) {
    if (text.length > historyLimits.textChars) throw tooLarge(part);
    const { platform } = query;
    const other = outputs.find((one) => one.command === command)?.otherPrompt;
    const read = readPart({
      ...{ text, part, command, fingerprint, prompt: other?.text, otherName: other?.name },
      ...{ rules: platform?.running, errors: platform?.errors ?? [] },
      ...(previous[part] === undefined ? {} : { previousBytes: previous[part] }),
    });
    if (part !== "running" && read.state === "suspect") {
      ctx.warn(`the ${part} configuration was not kept: ${read.reason}`);
      continue;
    }
    parts.push(modules === undefined ? read : { ...read, modules: [...modules] });
  }
  return parts;
}

/** Configurations that another program kept, by the rules of their platform. */
export function readTexts({ texts, platform: name, markKey }: ReadTextsTask, registry: Registry): ReadPart[] {
  const platform = name === undefined ? undefined : registry.get("platform", name);
  const fingerprint = fingerprintWith(markKey);
  const rules = { rules: platform?.running, errors: platform?.errors ?? [] };
  return texts.map(({ text, part }) => readPart({ text, part, fingerprint, isMasked: true, ...rules }));
}

function readPart(input: ReadInput): ReadPart {
  const read = readConfiguration(input);
  const by = [read.changedBy?.user, read.changedBy?.at].filter((word) => word !== undefined).join(", ");
  return {
    ...{
      part: input.part,
      state: read.state,
      compare: read.compare,
      lines: read.lines,
      general: read.general,
    },
    ...(read.compareSaved === undefined ? {} : { compareSaved: read.compareSaved }),
    ...(read.reason === undefined ? {} : { reason: read.reason }),
    ...(read.secrets.length === 0 ? {} : { secrets: JSON.stringify(read.secrets) }),
    ...(by === "" ? {} : { changedBy: by }),
    bytes: Buffer.byteLength(read.text, "utf8"),
    body: packText(read.text),
  };
}

/** Longer quotes in an error are output of the device. */
const quotedChars = 60;

/**
 * An error of a take without the output that errors of other queries quote: a configuration shows secrets that no request
 * has named.
 */
export function withoutOutput(error: unknown): ServiceError {
  const { kind, message, detail } = toErrorData(error, "DriverError");
  const [line = ""] = message.split("\n");
  const text = line.replace(/"(?:[^"\\]|\\.)*(?:"|$)/g, (quoted) =>
    quoted.length > quotedChars || /\\[rn]/.test(quoted) ? '"…"' : quoted,
  );
  const { command, outcome, warnings, retryAfter } = detail ?? {};
  return new ServiceError(kind, text, { command, outcome, warnings, retryAfter });
}

/** The answer of a device to lines that restore a configuration, with secrets as their marks, wherever a text stands. */
export function maskedByPlace({ platform, markKey }: RestoredView, registry: Registry) {
  const rules = registry.get("platform", platform ?? "")?.running;
  const fingerprint = fingerprintWith(markKey);
  const text = (value: string) => maskDifference(value, rules, fingerprint);
  const any = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(any);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, any(member)]));
  };
  const outputs = (given: Outputs): Outputs =>
    given.map((one) => ({ ...one, command: text(one.command), output: any(one.output) }));
  return { text, outputs };
}

function nothing(driver: string, why: string): ServiceError {
  return new ServiceError("DriverError", `The driver ${driver} read no configuration: ${why}.`);
}

function tooLarge(part: ConfigurationPart): ServiceError {
  const mib = historyLimits.textChars / 1024 / 1024;
  return new ServiceError(
    "OutputTooLarge",
    `The ${part} configuration is larger than ${mib} MiB: it is not kept.`,
  );
}
