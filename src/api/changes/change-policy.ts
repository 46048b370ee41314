/** What a group of the inventory asks of changes to its devices: schemas. */
import * as v from "valibot";
import { isLinear } from "../../base/regex/linear.ts";
import { type Grade, grades } from "../rehearsal/rehearsal.ts";
import { described, type Unchanged } from "../schema.ts";

const share = /^(?:100|[1-9]?\d)%$/;

/** Without look-around and back references: it is matched in linear time. */
const ticketPattern = v.pipe(
  v.string("must be a string"),
  v.nonEmpty("must not be empty"),
  v.maxLength(200, "must have at most 200 characters"),
  v.check((source) => isLinear(source), "must be a regular expression in the syntax of RE2"),
);

const mostVotes = 20;

/** Grades that may keep a change from starting: the others are good ones. */
const good: readonly Grade[] = ["checked", "seen", "no_effect"];
export const barrableGrades = grades.filter((grade) => !good.includes(grade));

export const changePolicy = v.strictObject(
  {
    required: v.exactOptional(
      described(
        v.boolean("must be true or false"),
        "`true`: its devices get configuration by changes only; a plain push is 409",
      ),
    ),
    approvals: v.exactOptional(
      described(
        v.pipe(
          v.number("must be a number"),
          v.integer("must be a whole number"),
          v.minValue(0, "must be at least 0"),
          v.maxValue(mostVotes, `must be at most ${mostVotes}`),
        ),
        "Votes that a change of its devices needs at least",
      ),
    ),
    ticket: v.exactOptional(
      described(ticketPattern, "Expression (RE2) that the ticket of a change must match: `^CHG-\\d+$`"),
    ),
    agents: v.exactOptional(
      described(v.boolean("must be true or false"), "`false`: agents may not propose changes of its devices"),
    ),
    max_wave: v.exactOptional(
      described(
        v.union(
          [
            v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000)),
            v.pipe(v.string(), v.regex(share), v.notValue("0%")),
          ],
          "must be a number of at least 1, or a percentage such as 25%",
        ),
        "At most so many of its devices in a wave: a number, or a percentage of those in the change",
      ),
    ),
    barred_grades: v.exactOptional(
      described(
        v.pipe(
          v.array(
            v.picklist(barrableGrades, `must be one of ${barrableGrades.join(", ")}`),
            "must be a list of grades",
          ),
          v.maxLength(barrableGrades.length, `must have at most ${barrableGrades.length} grades`),
        ),
        "A change of its devices starts only after a rehearsal of its plan that gave none of their lines one of these grades: `unknown`, `locks_out`",
      ),
    ),
  },
  "must be an object with required, approvals, ticket, agents, max_wave, barred_grades",
);
export type ChangePolicy = Unchanged<v.InferOutput<typeof changePolicy>>;
export type PolicyMember = keyof ChangePolicy;
export const policyMembers = [
  "required",
  "approvals",
  "ticket",
  "agents",
  "max_wave",
  "barred_grades",
] as const satisfies PolicyMember[];

/** Who drafted a change, if not a person, a key or a schedule on its own account. */
export const changeOrigins = ["agent", "drift", "recipe"] as const;
export const changeOrigin = described(
  v.picklist(changeOrigins),
  "`agent`: proposed over `POST /mcp`; its reason is the note of the request; `drift`: a further round of a fix that did not help; `recipe`: a step of the run that `run` names",
);
