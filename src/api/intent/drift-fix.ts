/** A change that mends drift: its request. */
import * as v from "valibot";
import { changeRequest } from "../changes/change.ts";
import { described, field, named } from "../schema.ts";
import { fixEntries } from "./intent.ts";

const { config: _, restore: __, fix: ___, rendering: ____, name, ...shared } = changeRequest.entries;

/** Body of POST /drift/fix: a change without lines of its own. */
export const driftFix = named(
  "DriftFix",
  v.strictObject({
    ...fixEntries,
    name: field(name),
    ...shared,
    select: described(
      shared.select,
      "Devices; default, without `devices`: all that drift from these intents",
    ),
  }),
);
