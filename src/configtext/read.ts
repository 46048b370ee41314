/** Reads what a device showed as its configuration: clean, judged whether it is whole, its secrets masked. */
import { createHash } from "node:crypto";
import type { ConfigurationPart, Running } from "../plugin/platform.ts";
import { cleanLines } from "./clean.ts";
import { linePattern } from "./rules.ts";
import { type MaskedSecret, maskSecrets } from "./secrets/secrets.ts";
import { faultOf } from "./whole.ts";

export { type MaskedSecret, openSecrets } from "./secrets/secrets.ts";

export interface ReadInput {
  /** As the device sent it. */
  readonly text: string;
  /** Data of the platform; undefined: general rules only. */
  readonly rules: Running | undefined;
  /** What a refusal looks like (`PlatformPlugin.errors`). */
  readonly errors: readonly RegExp[];
  readonly part: ConfigurationPart;
  /** The command that showed it, whose echo is removed. */
  readonly command?: string | undefined;
  /** The prompt of the session, which is removed at the end and must not stand inside. */
  readonly prompt?: string | undefined;
  /** The name in that prompt, if the prompt before the text had another: of a device that was renamed, or of another one. */
  readonly otherName?: string | undefined;
  /** UTF-8 bytes of `text` of the last good version of this part. */
  readonly previousBytes?: number | undefined;
  /** Another program kept it, whose marks in place of secrets stay. */
  readonly isMasked?: boolean;
  /** Short keyed hash of a secret, the same for equal secrets; it becomes part of the text. */
  fingerprint(secret: string): string;
}

export interface ReadConfiguration {
  /** Clean lines, each with "\n"; a secret is shown as `<secret 7c41d0>`. Empty if the device sent nothing. */
  readonly text: string;
  /** In order of their offsets (UTF-16 units) in `text`: `openSecrets(text, secrets)` is the clean text of the device. */
  readonly secrets: readonly MaskedSecret[];
  /** SHA-256, in hexadecimal, without the lines that change by themselves: equal means the same configuration. */
  readonly compare: string;
  /** The same of what running and startup configuration both show; absent: all of it. */
  readonly compareSaved?: string;
  /** `suspect`: `reason` says why it may not be the whole configuration of this device. */
  readonly state: "good" | "suspect";
  readonly reason?: string;
  /** As the device tells it in the text. */
  readonly changedBy?: { readonly user?: string; readonly at?: string };
  readonly lines: number;
  /** The platform has no data of its own about secrets: the text was read by the general rules only. */
  readonly general: boolean;
}

/** What shows are headed with on systems without data. */
const usualIgnored: readonly RegExp[] = [
  /^(?:Building configuration|Current configuration)/,
  /^[!#] ?(?:Last configuration change|NVRAM config last updated|No configuration change|Command:|Time:)/,
];
const usualChangedBy: readonly RegExp[] = [
  /^[!#] ?Last configuration change at (?<at>.{1,80}?)(?: by (?<user>\S+))?$/,
];

/** Takes linear time, whatever the text is. */
export function readConfiguration(input: ReadInput): ReadConfiguration {
  const { rules, errors, part, prompt, otherName, previousBytes } = input;
  const lines = withoutNotices(cleanLines(input.text, input), rules?.notices ?? []);
  const masked = maskSecrets(lines, rules, input.fingerprint, input.isMasked);
  const text = masked.lines.length === 0 ? "" : `${masked.lines.join("\n")}\n`;
  const bytes = Buffer.byteLength(text);
  const judged = { lines: masked.lines, bytes, rules, errors, part, prompt, otherName, previousBytes };
  const reason = faultOf(judged);
  const changedBy = changeIn(lines, rules?.changedBy ?? (rules === undefined ? usualChangedBy : []));
  const compare = comparison(masked.comparable, rules);
  const both = withoutApart(masked.comparable, rules?.storedApart ?? []);
  return {
    text,
    secrets: masked.secrets,
    compare,
    ...(both === masked.comparable ? {} : { compareSaved: comparison(both, rules) }),
    state: reason === undefined ? "good" : "suspect",
    ...(reason === undefined ? {} : { reason }),
    ...(changedBy === undefined ? {} : { changedBy }),
    lines: masked.lines.length,
    general: rules?.secrets === undefined,
  };
}

function withoutNotices(lines: readonly string[], notices: readonly RegExp[]): readonly string[] {
  if (notices.length === 0) return lines;
  const patterns = notices.map(linePattern);
  return lines.filter(
    (line) => line.length > longestHeader || !patterns.some((pattern) => pattern.test(line)),
  );
}

/** Longer lines are no header, so no pattern of a platform is tried on them. */
const longestHeader = 512;

function comparison(lines: readonly string[], rules: Running | undefined): string {
  const patterns = (rules?.ignore ?? (rules === undefined ? usualIgnored : [])).map(linePattern);
  const counts = (line: string) =>
    line !== "" && (line.length > longestHeader || !patterns.some((pattern) => pattern.test(line)));
  const said = withoutEmpty(lines, rules?.vanishing ?? []);
  return createHash("sha256").update(said.filter(counts).join("\n")).digest("hex");
}

/** Without sections in which nothing stands, their ends and the comment lines behind them. */
function withoutEmpty(lines: readonly string[], vanishing: readonly RegExp[]): readonly string[] {
  if (vanishing.length === 0) return lines;
  const patterns = vanishing.map(linePattern);
  const indentOf = (line: string | undefined) => (line ?? "").length - (line ?? "").trimStart().length;
  const left: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const words = line.trim();
    const isEmpty =
      words.length <= longestHeader &&
      patterns.some((pattern) => pattern.test(words)) &&
      indentOf(lines[at + 1]) <= indentOf(line);
    if (!isEmpty) left.push(line);
    else while (/^(?:exit(?:-[\w-]+)?|!)$/.test(lines[at + 1]?.trim() ?? "")) at++;
  }
  return left;
}

/** Without bodies that the startup configuration names by a file, and without those names. */
function withoutApart(lines: readonly string[], heads: readonly RegExp[]): readonly string[] {
  if (heads.length === 0) return lines;
  const patterns = heads.map(linePattern);
  let inside = false;
  let found = false;
  const left: string[] = [];
  for (const line of lines) {
    const words = line.trim();
    // The last line of a body is indented with it, or not at all.
    if (inside && (/^\s\s/.test(line) || words === "quit")) continue;
    const head =
      words.length > longestHeader
        ? undefined
        : patterns.map((pattern) => pattern.exec(words)?.[0]).find((one) => one !== undefined);
    inside = head !== undefined;
    found ||= inside;
    left.push(head ?? line);
  }
  return found ? left : lines;
}

/** Devices say it at the top or at the bottom. */
const headerLines = 60;

function changeIn(
  lines: readonly string[],
  patterns: readonly RegExp[],
): { user?: string; at?: string } | undefined {
  if (patterns.length === 0) return undefined;
  const forms = patterns.map(linePattern);
  const told = [
    ...lines.slice(0, headerLines),
    ...lines.slice(Math.max(headerLines, lines.length - headerLines)),
  ];
  for (const line of told) {
    if (line.length > longestHeader) continue;
    for (const form of forms) {
      const { user, at } = form.exec(line)?.groups ?? {};
      if (user === undefined && at === undefined) continue;
      return { ...(user === undefined ? {} : { user }), ...(at === undefined ? {} : { at: at.trim() }) };
    }
  }
  return undefined;
}
