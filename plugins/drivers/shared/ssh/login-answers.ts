/** Replies to questions of an SSH login other than the password: a second factor, a choice. */
import type { Secret, SshTarget } from "patchbay/plugin";
import { patternFault, userPattern } from "patchbay/plugin";
import * as v from "valibot";
import { optional, optionalText, secretLine } from "../fields.ts";

const mostAnswers = 16;

const replies = v.pipe(
  v.record(v.string(), secretLine),
  v.check((all) => Object.keys(all).length <= mostAnswers, `must not have more than ${mostAnswers} entries`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const fault = Object.keys(dataset.value)
      .map(patternFault)
      .find((found) => found !== undefined);
    if (fault !== undefined) addIssue({ message: `a question ${fault}` });
  }),
);
/** As text from a credential source, whose fields are texts. */
const written = v.pipe(
  v.string(),
  v.parseJson(undefined, "must be an object of questions and replies"),
  replies,
);
const answers = v.union([replies, written], "must be an object of up to 16 questions and replies");

/** Fields of a login; `whose` completes the descriptions. */
export const answerFields = {
  otp: optionalText(
    secretLine,
    "Code for a second factor, sent where the server asks over keyboard-interactive for something other than the password. May come from a `credential`",
    { examples: ["…"] },
  ),
  answers: optional(
    answers,
    'Replies to questions over keyboard-interactive: an object of regular expressions and texts, such as `{"option \\\\(1-3\\\\)": "1"}`. The first match counts, also where the server echoes the reply. The replies are secret and may come from a `credential` (as JSON). A question without an answer fails with `AuthenticationFailed`, which quotes it',
    { examples: [{ "Passcode or option": "1" }] },
  ),
};

export interface Answers {
  readonly otp?: Secret | undefined;
  readonly answers?: Readonly<Record<string, Secret>> | undefined;
}

/** @param field names the replies in errors */
export function answersOf(
  { otp, answers }: Answers,
  field = "connection_args.answers",
): Pick<SshTarget, "otp" | "answers"> {
  return {
    ...(otp === undefined ? {} : { otp }),
    ...(answers === undefined
      ? {}
      : {
          answers: Object.entries(answers).map(([question, reply]) => ({
            question: userPattern(question, field),
            reply,
          })),
        }),
  };
}
