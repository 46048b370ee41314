/** `driver_args` of the driver snmp. */
import { laxNumber } from "patchbay/plugin";
import * as v from "valibot";
import { optional } from "../shared/fields.ts";

const whole = (least: number, most: number) =>
  v.pipe(laxNumber(), v.integer(), v.minValue(least), v.maxValue(most));

export const queryArgs = v.object({
  type: optional(
    v.picklist(["get", "walk", "table"]),
    "`get` reads instances, `walk` everything below an object, `table` a table as records",
    { default: "get" },
  ),
  bulk: optional(
    whole(1, 500),
    "Instances that a walk asks for at once. Halved when the agent says that its answer is too big; 1 asks one by one, for agents that answer bulks wrongly",
    { default: 25 },
  ),
  max_rows: optional(whole(1, 400_000), "Instances after which a walk fails", { default: 200_000 }),
});

export const configureArgs = v.object({});

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
