/** Query parameters of inventory imports and exports. */
import * as v from "valibot";
import { upsertModes } from "../api/inventory.ts";
import { exportFormats, importFormats } from "../api/inventory-text.ts";

const text = (maxLength: number) =>
  v.optional(
    v.pipe(
      v.string(),
      v.nonEmpty("must not be empty"),
      v.maxLength(maxLength, `must have at most ${maxLength} characters`),
    ),
  );
const count = v.optional(
  v.pipe(v.string(), v.regex(/^\d{1,9}$/, "must be a whole number"), v.transform(Number)),
);
const columns = { delimiter: text(8), map: text(256) };

const truth = v.optional(v.picklist(["true", "false", "1", "0"], "must be one of true, false"));

export const importQuery = v.object({
  format: v.picklist(importFormats, `must be one of ${importFormats.join(", ")}`),
  mode: v.optional(v.picklist(upsertModes, `must be one of ${upsertModes.join(", ")}`), "merge"),
  create_groups: truth,
  dry_run: truth,
  max_changes: count,
  max_removals: count,
  ...columns,
});

export const inventoryExportQuery = v.object({
  format: v.optional(v.picklist(exportFormats, `must be one of ${exportFormats.join(", ")}`), "json"),
  group: text(128),
  select: text(4_096),
  ...columns,
});

export const syncQuery = v.object({ dry_run: truth });
