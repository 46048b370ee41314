/** Fields of a NetBox source. */
import * as v from "valibot";
import { field, plainText } from "../shared/source.ts";

const objects = ["device", "virtual-machine"] as const;

export const options = v.object({
  filter: field(
    v.pipe(
      plainText(2_000),
      v.description("For NetBox: filter of the devices, as a query string: `site=berlin&role=access`"),
    ),
  ),
  object: field(
    v.pipe(
      v.picklist(objects, `must be one of ${objects.join(", ")}`),
      v.description("For NetBox: devices or virtual machines"),
    ),
  ),
});
export type Options = v.InferOutput<typeof options>;
