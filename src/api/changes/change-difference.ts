/** What the lines of a device would change: compared by the service as text, or by the device itself. */
import * as v from "valibot";
import { jobTicket } from "../jobs/job.ts";
import { described, integer, named, text, texts, type Unchanged } from "../schema.ts";

export const changeDifference = named(
  "ChangeDifference",
  v.object({
    device: text,
    sha256: described(text, "Of its lines"),
    version: described(
      v.nullable(integer),
      "The configuration version that is compared: of the plan, or the newest; null: none",
    ),
    newest: described(v.boolean(), "Whether that is the newest good version"),
    difference: described(
      v.nullable(text),
      "Lines with `+`, `-`, or `?`, below those of their sections; null: see `why`",
    ),
    why: v.exactOptional(described(text, "Why nothing can be said")),
    added: described(integer, "Lines that the configuration has not"),
    removed: described(integer, "Lines of the configuration that are removed"),
    present: described(integer, "Lines that the configuration has already: without effect"),
    unclear: described(
      integer,
      "Lines that remove what the configuration does not show: they turn a default off, or do nothing",
    ),
    cut: v.exactOptional(described(v.boolean(), "`difference` has only the first 2,000 lines")),
  }),
);
export type ChangeDifference = Unchanged<v.InferOutput<typeof changeDifference>>;

/** Answer of POST /change/{name}/target/{item}/compare. */
export const changeComparison = named(
  "ChangeComparison",
  v.object({
    device: text,
    sha256: described(text, "Of its lines"),
    job: described(
      v.nullable(jobTicket),
      "The dry run, of which the device itself tells the difference; null: it cannot compare",
    ),
    warnings: described(texts, "Why it cannot"),
  }),
);
export type ChangeComparison = Unchanged<v.InferOutput<typeof changeComparison>>;
