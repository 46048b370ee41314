/** The stored request of a change, and how it is shown. */
import * as v from "valibot";
import { type ChangeRequest, changeRequest } from "../api/change.ts";
import type { ChangeQuestion } from "../api/change-gates.ts";
import { createMasker, secretsOfJson } from "../base/secrets/mask.ts";
import { secretsOfQuestion, shownHeaders } from "../base/secrets/question-secrets.ts";
import { maskDifference } from "../configtext/mask-difference.ts";
import { fingerprintWith } from "../configtext/secrets.ts";
import type { Running } from "../plugin/platform.ts";

export const unreadable = "its request cannot be opened: it is damaged, or of another version";

/** @returns undefined if it is damaged or of another version */
export function readRequest(text: string | undefined): ChangeRequest | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), changeRequest), text);
  return read.success ? read.output : undefined;
}

/** Lines with each secret as its mark, as in the history. */
export function shownLines(lines: string, rules: Running | undefined, markKey: string): string {
  return maskDifference(lines, rules, fingerprintWith(markKey));
}

const anyMembers = v.record(v.string(), v.unknown());

/** Without the lines, which are shown by group, and with what has the name of a secret masked wherever it stands. */
export function shownRequest({ config, ...rest }: ChangeRequest): Record<string, unknown> {
  const isContext = typeof config === "object" && !Array.isArray(config);
  const questions = rest.strategy?.questions ?? [];
  const shown = questions.length === 0 ? rest.strategy : withShownHeaders(rest.strategy, questions);
  const json = JSON.stringify({ ...rest, strategy: shown, ...(isContext ? { config } : {}) });
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

/** @returns when it may begin, in ms since 1970; null: now */
export function beginsAt(request: ChangeRequest | undefined, now: number): number | null {
  const at = request?.not_before ? Date.parse(request.not_before) : 0;
  return at > now ? at : null;
}
