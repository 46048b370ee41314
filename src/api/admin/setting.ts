/** Effective settings, as in GET /settings and `patchbay config`, and the licences of the program's parts. */
import * as v from "valibot";
import { described, named, text } from "../schema.ts";

export const setting = named(
  "Setting",
  v.object({
    name: text,
    value: described(text, "Secrets masked; empty if not set"),
    origin: v.picklist(["flag", "environment", "file", "default"]),
    variable: described(text, "Its environment variable"),
    about: text,
  }),
);
export type SettingRecord = v.InferOutput<typeof setting>;

export const licence = named("Licence", v.object({ title: text, text }));
export type LicenceRecord = v.InferOutput<typeof licence>;
