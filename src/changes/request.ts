/** The request of a change: as it is written, stored and shown. */
import * as v from "valibot";
import type { Body } from "../api/body.ts";
import { type ChangeRequest, changeLimits, changeRequest } from "../api/changes/change.ts";
import type { ChangeQuestion } from "../api/changes/change-gates.ts";
import type { Caller } from "../auth/port.ts";
import { requireRight } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse, refuseAny } from "../base/issues.ts";
import { isGiven } from "../base/json/members.ts";
import { createMasker, masked, secretsOfJson } from "../base/secrets/mask.ts";
import { secretsOfQuestion, shownHeaders } from "../base/secrets/question-secrets.ts";
import { maskDifference } from "../configtext/secrets/mask-difference.ts";
import { type ChangeTemplate, withParsers, withUses } from "../jobs/request/named-templates.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { Running } from "../plugin/platform.ts";

export const unreadable = "its request cannot be opened: it is damaged, or of another version";

/** @returns undefined if it is damaged or of another version */
export function readRequest(text: string | undefined): ChangeRequest | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), changeRequest), text);
  return read.success ? read.output : undefined;
}

/**
 * Lines with each secret as its mark, as in the history.
 * @param fingerprint for callers without the right `history_secrets` another one: they would guess what the history has
 */
export function shownLines(
  lines: string,
  rules: Running | undefined,
  fingerprint: (secret: string) => string,
): string {
  return maskDifference(lines, rules, fingerprint);
}

/** What an edit asks for: without lines of its own it keeps those of before, as answers do not show them. */
function withLinesOf(before: ChangeRequest, written: ChangeRequest): ChangeRequest {
  const { config } = before;
  if (isGiven(written.config) || isGiven(written.restore) || isGiven(written.fix) || !isGiven(config))
    return written;
  if (isContext(config) !== isGiven(written.rendering))
    refuse([
      {
        path: "rendering",
        message: isContext(config)
          ? "is required, because what is kept is its context; or `config`"
          : "needs a `config`, because what is kept are lines",
      },
    ]);
  return { ...written, config };
}

/** Where a request has a mask in place of a value. Words for people, and lines, may look like one. */
function maskedPlaces({ name: _, note: __, config, ...rest }: ChangeRequest): string[] {
  const places: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value === "string" && value.includes(masked)) places.push(path);
    else if (typeof value === "object" && value !== null)
      for (const [member, one] of Object.entries(value))
        look(one, path === "" ? member : `${path}.${member}`);
  };
  look(isContext(config) ? { ...rest, config } : rest, "");
  return places;
}

/** The context of a template, not lines. */
export const isContext = (config: ChangeRequest["config"]): boolean =>
  isGiven(config) && typeof config === "object" && !Array.isArray(config);

/** Lines that all devices get; empty: there are none, or a template makes them. */
export const linesAsked = (config: ChangeRequest["config"]): string =>
  typeof config === "string" ? config : Array.isArray(config) ? config.join("\n") : "";

const anyMembers = v.record(v.string(), v.unknown());

/** Without the lines, which are shown by group, and with what has the name of a secret masked wherever it stands. */
export function shownRequest({ config, ...rest }: ChangeRequest): Record<string, unknown> {
  const questions = rest.strategy?.questions ?? [];
  const shown = questions.length === 0 ? rest.strategy : withShownHeaders(rest.strategy, questions);
  const json = JSON.stringify({ ...rest, strategy: shown, ...(isContext(config) ? { config } : {}) });
  const secrets = [...secretsOfJson(json), ...questions.flatMap(secretsOfQuestion)];
  const masker = createMasker(secrets);
  // Text by text: a secret may be a word of JSON itself.
  const clean: unknown = JSON.parse(json, (_, value: unknown) =>
    typeof value === "string" ? masker.text(value) : value,
  );
  return v.parse(anyMembers, clean);
}

/** A short value is masked, too. */
function withShownHeaders(strategy: ChangeRequest["strategy"], questions: readonly ChangeQuestion[]) {
  return {
    ...strategy,
    questions: questions.map((question) => ({
      ...question,
      ...(question.headers ? { headers: shownHeaders(question.headers) } : {}),
    })),
  };
}

/** What is voted on: the stored templates that it names stay those of the moment. */
export function withVersions(request: ChangeRequest) {
  return (change: ChangeTemplate): ChangeRequest => {
    const { sentinels } = request;
    const own = withUses(request, change);
    if (!sentinels) return own;
    return {
      ...own,
      sentinels: sentinels.map((one, at) => ({
        ...one,
        checks: withParsers(one.checks, `sentinels.${at}.checks`, change),
      })),
    };
  };
}

/** @returns when it may begin, in ms since 1970; null: now */
export function beginsAt(request: ChangeRequest | undefined, now: number): number | null {
  const at = request?.not_before ? Date.parse(request.not_before) : 0;
  return at > now ? at : null;
}

function requireSize(text: string): void {
  if (Buffer.byteLength(text) <= changeLimits.maxBytes) return;
  throw new ServiceError("PayloadTooLarge", `A change may have at most ${changeLimits.maxBytes / 1024} KiB.`);
}

/**
 * @param before what an edit replaces
 * @throws ServiceError Validation, PayloadTooLarge, Forbidden
 */
export function requestOf({ text, value }: Body, caller: Caller, before?: ChangeRequest): ChangeRequest {
  requireSize(text);
  const written = checkShape(changeRequest, value);
  refuseAny(
    maskedPlaces(written).map((path) => ({ path, message: "is masked: write the value, not its mask" })),
  );
  const request = before === undefined ? written : withLinesOf(before, written);
  if (request !== written) requireSize(JSON.stringify(request));
  if (!request.select && !request.devices) refuse([{ path: "select", message: "is required, or `devices`" }]);
  const { restore, fix, config, rendering } = request;
  if (!restore && !fix && !isGiven(config))
    refuse([{ path: "config", message: "is required, or `restore`, or `fix`" }]);
  if (fix) {
    if (isGiven(config) || isGiven(rendering) || restore)
      refuse([{ path: "fix", message: "is in place of `config`, `rendering` and `restore`" }]);
    requireRight(caller, "history");
  }
  if (restore) {
    if (isGiven(config) || isGiven(rendering))
      refuse([{ path: "restore", message: "is in place of `config` and `rendering`" }]);
    if (isGiven(restore.at) === isGiven(restore.version))
      refuse([{ path: "restore", message: "needs `at` or `version`, and only one of them" }]);
    requireRight(caller, "history");
  }
  return request;
}
