/** What tools that ask devices answer. */
import * as v from "valibot";
import { described } from "../../api/schema.ts";
import { untrustedWord } from "../tool.ts";

export const askedResult = v.object({
  device: v.string(),
  status: described(v.string(), "Of its job: queued, running, finished, failed or cancelled"),
  command: described(v.nullable(v.string()), "As it was sent"),
  output: v.nullable(v.string()),
  cut_from: v.exactOptional(described(v.number(), "Characters of the whole output, if it was cut")),
  records: v.exactOptional(described(v.unknown(), "The output as data")),
  failure: v.nullable(v.object({ type: v.string(), message: v.string() })),
});

export const asked = v.object({
  task: described(
    v.nullable(v.string()),
    "Id of the bulk: the tool `job` reads it until `done`, also after a restart of either side",
  ),
  done: described(v.boolean(), "Whether all jobs have ended"),
  refused: described(
    v.array(v.object({ devices: v.number(), reason: v.string() })),
    "Devices that were not asked, and why",
  ),
  untrusted: described(v.object({ results: v.array(askedResult) }), untrustedWord),
});
