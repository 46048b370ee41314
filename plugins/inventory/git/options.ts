/** Fields of a Git source. */
import * as v from "valibot";
import { field, plainText } from "../shared/source.ts";

/** A path within the repository. */
const inside = v.pipe(
  plainText(500),
  v.check(
    (text) => !text.startsWith("/") && !text.startsWith("-") && !text.split("/").includes(".."),
    "must be a path within the repository",
  ),
);

export const options = v.pipe(
  v.object({
    path: field(v.pipe(inside, v.description("For git: the file or folder"))),
    ref: field(
      v.pipe(
        plainText(200),
        v.regex(/^[\w][\w./-]*$/, "must be a branch or tag"),
        v.description("For git: a branch or tag"),
      ),
    ),
  }),
  v.forward(
    v.check(({ path }) => Boolean(path), "is required for this kind"),
    ["path"],
  ),
);
export type Options = v.InferOutput<typeof options>;
