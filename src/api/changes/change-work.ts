/** What a change does in place of lines that somebody wrote: members of its request. */
import * as v from "valibot";
import { fixEntries } from "../intent/intent.ts";
import { isoMoment } from "../jobs/beginning.ts";
import { described, field } from "../schema.ts";

export const restoreField = described(
  field(
    v.strictObject({
      at: described(
        field(isoMoment),
        "What each device had then: its newest good version, ISO 8601 with offset",
      ),
      version: described(
        field(v.pipe(v.number(), v.integer(), v.minValue(1))),
        "The number of a version, of one device",
      ),
    }),
  ),
  "In place of `config`: gives devices back a configuration that they had",
);

export const fixField = described(
  field(v.strictObject(fixEntries)),
  "In place of `config`: brings devices back to their intents, with lines computed when it is planned",
);
