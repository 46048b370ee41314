/** Arguments of the `json` parser. */
import * as v from "valibot";
import { readPath, type Step } from "./path.ts";

export const jsonArgs = v.strictObject({
  /** Path to the wanted part; the whole document if omitted. */
  path: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(1000),
      v.rawTransform<string, readonly Step[]>(({ dataset, addIssue, NEVER }) => {
        const read = readPath(dataset.value);
        if (typeof read !== "string") return read;
        addIssue({ message: read });
        return NEVER;
      }),
    ),
  ),
  strict: v.optional(v.boolean()),
});

export type JsonArgs = v.InferOutput<typeof jsonArgs>;
