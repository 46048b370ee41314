/** What routes of recipes and of stored templates share: both are documents that are written in versions. */
import * as v from "valibot";
import { described } from "../../../api/schema.ts";
import { success } from "../../answer/respond.ts";
import { etagOf } from "../../precondition.ts";
import { wholeNumber } from "../../query.ts";

export const versionGiven = { ETag: "Its version, for `If-Match`" };

export const versionQuery = v.object({
  version: described(
    v.optional(wholeNumber(1_000_000_000)),
    "An earlier version in place of the one in force",
  ),
});

/** @param added it has been created */
export const versionAnswer = (record: { readonly version: number }, added = false) =>
  success(record, "success", added ? 201 : 200, etagOf(record.version));
