/** The record of a plugin, as in GET /plugin. */
import * as v from "valibot";
import { described, named, text } from "../schema.ts";

const pluginSetting = v.object({
  name: text,
  value: described(text, "Secrets masked"),
  origin: v.picklist(["environment", "file", "default"]),
});

export const pluginRecord = named(
  "Plugin",
  v.object({
    name: described(text, "Of a refused plugin: its file or folder"),
    kind: v.nullable(text),
    version: v.nullable(text),
    origin: described(text, "`builtin`, or its file or folder"),
    settings: v.array(pluginSetting),
    refused: described(v.nullable(text), "Why it was refused"),
  }),
);
export type PluginRecord = v.InferOutput<typeof pluginRecord>;
