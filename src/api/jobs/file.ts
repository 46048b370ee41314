/** Files of the transfer folder, as in GET /file. */
import * as v from "valibot";
import { described, integer, moment, named, text } from "../schema.ts";

const entries = {
  name: described(text, "Path within the folder"),
  size: described(integer, "Bytes"),
  modified_at: moment,
};

export const fileRecord = named("File", v.object(entries));
export type FileRecord = v.InferOutput<typeof fileRecord>;

/** The answer of `PUT /file/{name}`. */
export const storedFile = named(
  "StoredFile",
  v.object({ ...entries, sha256: text, replaced: described(v.boolean(), "Whether it replaced a file") }),
);
export type StoredFile = v.InferOutput<typeof storedFile>;
