/** Fields of a NetBox source. */
import * as v from "valibot";
import { field, plainText } from "../shared/source.ts";

const objects = ["device", "virtual-machine"] as const;

export const options = v.object({
  /** A filter of NetBox: `site=berlin&role=access`. */
  filter: field(plainText(2_000)),
  object: field(v.picklist(objects, `must be one of ${objects.join(", ")}`)),
});
export type Options = v.InferOutput<typeof options>;
